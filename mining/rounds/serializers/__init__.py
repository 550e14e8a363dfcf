"""Their shapes in the API."""
