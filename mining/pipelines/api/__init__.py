"""The API of pipelines and their rounds."""
