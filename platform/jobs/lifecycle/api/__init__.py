"""Addresses of the lifecycle."""
