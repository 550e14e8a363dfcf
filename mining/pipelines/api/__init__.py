"""The edge of pipelines and their rounds."""
