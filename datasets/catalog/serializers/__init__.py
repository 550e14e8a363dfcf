"""The catalog's documents, in and out: validation of requests, shapes of answers, the OpenAPI schema."""
