"""Embedding maps, and checks for leaks by embeddings."""
