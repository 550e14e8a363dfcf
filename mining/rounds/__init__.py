"""The loop: mining jobs, picks, pipelines and their rounds."""
