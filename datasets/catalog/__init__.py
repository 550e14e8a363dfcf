"""Datasets, their versions, samples and labels."""
