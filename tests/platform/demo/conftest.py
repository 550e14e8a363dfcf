"""A platform that answers from a script, and a client of it; a small set of signs that needs no download."""

from tests.platform.demo.sign_sources import sources
from tests.platform.motherlode.conftest import client, server

__all__ = ["client", "server", "sources"]
