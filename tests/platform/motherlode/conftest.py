"""A platform that answers from a script, and a client of it."""

from collections.abc import Iterator

import pytest
from tests.platform.motherlode.canned import CannedServer

from motherlode import Motherlode


@pytest.fixture
def server() -> Iterator[CannedServer]:
    made = CannedServer()
    yield made
    made.close()


@pytest.fixture
def client(server: CannedServer) -> Iterator[Motherlode]:
    with Motherlode(server.url, "secret", patience=2.0) as made:
        yield made
