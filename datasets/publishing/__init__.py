"""Versions for standard git and DVC clients: repositories to clone, and the service as their DVC remote."""
