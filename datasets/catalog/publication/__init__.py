"""Versions as directories that git and DVC see, and what comes back from there."""
