"""Pipelines (the active-learning loop), what starts and stops them, and their rounds."""
