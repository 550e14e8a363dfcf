"""Samples most like one, a part of one or any image, by embeddings: which there are, computing them, exact search."""
