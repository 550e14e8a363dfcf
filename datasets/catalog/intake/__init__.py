"""Bytes on their way in: files, archives, listings, buckets and addresses, up to a commit."""
