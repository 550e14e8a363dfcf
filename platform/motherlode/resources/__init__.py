"""One group of calls per file."""
