"""The API views of the catalog: datasets and commits, samples, bytes."""
