"""Diagnose a platform: each problem found with its count and a remedy."""
