"""A platform that answers from a script, and a client of it."""

from tests.platform.motherlode.conftest import client, server

__all__ = ["client", "server"]
