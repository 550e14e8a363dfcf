"""Exports of versions: archives in an annotation format, and plain rows for programs."""
