"""Back-tests: strategies replayed on labels that are known."""
