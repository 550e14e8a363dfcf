"""The shapes of labeling in the API."""
