"""Versions as stock git and DVC clients read them: repositories to clone, and the service as their DVC remote."""
