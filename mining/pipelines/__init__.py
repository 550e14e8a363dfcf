"""The loop: pipelines, what starts and stops them, and their rounds."""
