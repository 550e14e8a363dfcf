"""Serializers of labelling: request bodies and responses."""
