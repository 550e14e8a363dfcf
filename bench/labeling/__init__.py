"""Labelling beside Label Studio: the same client asks both, on the same machine and database server."""
