"""Embedding maps, and leak checks by embeddings."""
