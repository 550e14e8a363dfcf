"""Reads of a version: pages of samples, counts, statistics, the vocabulary of its filters."""
