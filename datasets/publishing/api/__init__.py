"""Endpoints: git over HTTP, the DVC remote, and access logs, read keys and materialisation."""
