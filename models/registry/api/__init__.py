"""The edge of the registry: models, their versions, runs, and what a version answers to an image."""
