"""The client's calls, one group per file."""
