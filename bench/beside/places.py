"""The two profiles, each with an address, an owner's token, and its database for rows that are put there directly."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import httpx
import psycopg

from bench.crowd.meanwhile import beside
from bench.crowd.production import running
from bench.versioning.site import own_site

VACUUM_SECONDS = 60.0  # as often as PostgreSQL's own autovacuum looks


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
    with running(folder, server=server, broker=broker) as site, beside(partial(_vacuum, site.database)):
        yield Place(site.origin, site.token, site.database, folder, site.certificate)


def _vacuum(url: str, stop: threading.Event) -> None:
    """Do what autovacuum does, which a server for tests may have off: without it the planner knows no table's size."""
    with psycopg.connect(url, autocommit=True) as connection:
        while not stop.wait(VACUUM_SECONDS):
            connection.execute("VACUUM (ANALYZE, SKIP_LOCKED)")
