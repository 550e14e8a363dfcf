"""The shapes of pipelines and rounds in the API."""
