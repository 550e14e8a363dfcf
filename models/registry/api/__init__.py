"""The API of the registry: models, their versions, runs, and predictions."""
