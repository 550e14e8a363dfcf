"""Versions on their way out: archives in a format, and plain rows for programs."""
