"""The core that every app builds on: the error tree, problem documents, rendering, paging, idempotency."""
