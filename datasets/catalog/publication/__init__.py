"""Versions as directories for git and DVC, and directories that `dvc push` sends back."""
