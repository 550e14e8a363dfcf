"""The two profiles, each with an address, an owner's token, and its database for rows that are put there directly."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from bench.crowd.production import running
from bench.versioning.site import own_site


@dataclass(frozen=True, slots=True)
class Place:
    """A running platform. `trusted` is the certificate of its proxy, if it has one of its own."""

    url: str
    token: str
    database: str
    folder: Path
    trusted: Path | None = None

    def client(self, token: str = "") -> httpx.Client:
        """A connection that stays open, by its owner or by whose token it is. It repeats nothing by itself."""
        head = {"Authorization": f"Bearer {token or self.token}"}
        verify = str(self.trusted) if self.trusted else True
        return httpx.Client(base_url=self.url, headers=head, verify=verify, timeout=120.0)


@contextmanager
def embedded(folder: Path) -> Iterator[Place]:
    """The embedded profile, on free ports."""
    with own_site(folder) as site:
        yield Place(site.url, site.token, f"sqlite:///{site.var / 'db.sqlite3'}", site.var)


@contextmanager
def production(folder: Path, server: str, broker: str) -> Iterator[Place]:
    """The production profile behind its proxy."""
    with running(folder, server=server, broker=broker) as site:
        yield Place(site.origin, site.token, site.database, folder, site.certificate)
