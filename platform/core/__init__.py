"""What every app stands on: the error tree, problem documents, rendering, paging, idempotency."""
