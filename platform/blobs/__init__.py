"""Bytes by content: a store over any S3 endpoint, packs of small blobs, a local cache, safe images, archives."""
