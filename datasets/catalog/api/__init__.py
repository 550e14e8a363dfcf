"""The catalog's calls: datasets and commits, samples, bytes."""
