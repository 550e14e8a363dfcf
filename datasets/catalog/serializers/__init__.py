"""Serializers of the catalog: validation of requests, shapes of responses, the OpenAPI schema."""
