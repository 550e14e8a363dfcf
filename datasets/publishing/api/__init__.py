"""The calls: git over HTTP, the DVC remote, and what owners see and do."""
