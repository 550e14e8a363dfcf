"""Datasets at scale, beside stock DVC on the same bytes and the same S3 server: `make bench-versioning`.

Everything lies in one temporary folder, object store included, and is gone afterwards.
"""
