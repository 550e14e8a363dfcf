"""The edge of maps and leak checks."""
