"""Motherlode for Python: the client, the `lode` command and the examples. No Django, no torch."""
