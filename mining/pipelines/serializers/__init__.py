"""Serializers of pipelines and rounds."""
