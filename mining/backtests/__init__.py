"""Back-tests: strategies replayed on known labels."""
