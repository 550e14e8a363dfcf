"""Exact and near-duplicates, found when images are committed."""
