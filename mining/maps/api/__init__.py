"""The API of maps and leak checks."""
