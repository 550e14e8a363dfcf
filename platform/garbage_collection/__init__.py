"""Delete stored bytes that nothing refers to: rows of blobs, then objects of the bucket, by the ledger and never by
listing the bucket."""
