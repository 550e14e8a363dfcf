"""`python -m bench.lists`: the paged lists of the API with 5, 50 and 5,000 rows: queries and milliseconds of the first
page of 50 rows, and of finding one row by its name.

A list is filled as `tests.lists` says, in a transaction that is undone before the next one. A page that takes more than
`--most` milliseconds, or takes longer or more queries because there are more rows, is marked, and a list that does not
find its row. Milliseconds are the least of several requests, which depends little on what else runs.
"""

import argparse
import os
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import django

REPEATS = 7
MORE = 1.5
"""A page of many rows takes longer than one of fifty if it takes this many times as long, and `SLACK_MS` more."""
SLACK_MS = 5.0
PAGE = 50


@dataclass(frozen=True, slots=True)
class Asked:
    """What a request cost."""

    queries: int
    ms: float

    def __str__(self) -> str:
        return f"{self.queries:5} {self.ms:7.1f}"


@dataclass(frozen=True, slots=True)
class Figures:
    """What pages of one list cost, by its number of rows, and finding one row in most of them."""

    operation: str
    pages: Mapping[int, Asked]
    found: Asked | None
    finds: bool
    filled_seconds: float

    def marks(self, most_ms: float) -> list[str]:
        """Return what is wrong with it."""
        (_, full, large), wrong = self.pages.values(), list[str]()
        slow = [name for name, asked in (("page", large), ("search", self.found)) if asked and asked.ms > most_ms]
        wrong += [f"slow {name}" for name in slow]
        if large.queries > full.queries or large.ms > max(MORE * full.ms, full.ms + SLACK_MS):
            wrong.append("grows")
        return wrong if self.finds else [*wrong, "does not find it"]

    def line(self, most_ms: float) -> str:
        """Return a line of the table."""
        pages = "  ".join(map(str, self.pages.values()))
        found = str(self.found) if self.found else " " * 13
        marks = ", ".join(self.marks(most_ms))
        return f"{self.operation:28} {pages}  {found}  {self.filled_seconds:6.1f}  {marks}".rstrip()


class Bench:
    """Times the lists on one database, whose client is signed in as an owner."""

    def __init__(self, client: Any, sizes: Sequence[int]) -> None:
        self._client, self._sizes = client, sizes

    def measure(self, operation: str) -> Figures:
        """Fill a list to each size and ask for it."""
        from django.db import transaction
        from tests.lists import LISTS, paged_lists

        with transaction.atomic():
            address, make = LISTS[operation]()
            pages, rows, filled = dict[int, Asked](), 0, 0.0
            name: str | None = None
            row: object = None
            for size in self._sizes:
                began = time.perf_counter()
                make(size - rows)
                self._analyse()
                filled, rows = filled + time.perf_counter() - began, size
                pages[size] = self._asked(address, {})
                if name is None and "q" in paged_lists()[operation]:
                    name, row = self._name(address)
            found = None if name is None else self._asked(address, {"q": name})
            finds = name is None or row in map(_called, self._get(address, {"q": name})["results"])
            transaction.set_rollback(True)
        return Figures(operation, pages, found, finds, filled)

    def _get(self, address: str, query: Mapping[str, str]) -> Any:
        answer = self._client.get(address, query or None)
        if answer.status_code != 200:
            raise SystemExit(f"{address} answered {answer.status_code}: {answer.content[:500]!r}")
        return answer.json()

    def _asked(self, address: str, query: Mapping[str, str]) -> Asked:
        from django.db import connection
        from django.test.utils import CaptureQueriesContext

        self._get(address, query)  # what is looked up once for the process
        with CaptureQueriesContext(connection) as captured:
            self._get(address, query)
        queries = len(captured)  # the next request forgets them
        taken = []
        for _ in range(REPEATS):
            began = time.perf_counter()
            self._get(address, query)
            taken.append(1000 * (time.perf_counter() - began))
        return Asked(queries, min(taken))

    def _name(self, address: str) -> tuple[str, object]:
        """Return the text of the last row that finds the fewest rows, and what that row is called."""
        row = self._get(address, {})["results"][-1]
        counts = {text: len(self._get(address, {"q": text})["results"]) for text in set(_texts(row))}
        counts = {text: count for text, count in counts.items() if count}
        if not counts:
            raise SystemExit(f"{address} finds no text of its own row: {row}")
        return min(counts, key=lambda text: (counts[text], text)), _called(row)

    def _analyse(self) -> None:
        """Tell the planner of the new rows, as a database does by itself in a minute."""
        from django.db import connection

        with connection.cursor() as cursor:
            cursor.execute("ANALYZE")


def _texts(document: Any) -> Iterator[str]:
    """Yield the texts in a document that a person would search for."""
    if isinstance(document, str) and 1 < len(document) <= 100 and "/" not in document:
        yield document
    for part in document.values() if isinstance(document, dict) else ():
        yield from _texts(part)


def _called(row: Mapping[str, Any]) -> object:
    """Return what tells a row of a list from the others."""
    return next((row[name] for name in ("id", "number", "key", "name", "username") if name in row), dict(row))


@contextmanager
def database(profile: str) -> Iterator[Any]:
    """A new database of the tests' settings, and a client of it that is signed in."""
    os.environ |= {"MOTHERLODE_TEST_PROFILE": profile, "DJANGO_SETTINGS_MODULE": "tests.settings"}
    django.setup()
    from django.db import connection
    from tests import settings
    from tests.clients import client_of

    from accounts.models import Role
    from accounts.services import create_user

    connection.creation.create_test_db(verbosity=0)
    try:
        yield client_of(create_user("alice", role=Role.OWNER)[0])
    finally:
        connection.creation.destroy_test_db("unused", verbosity=0)
        shutil.rmtree(settings.VAR, ignore_errors=True)


def main() -> None:
    """Every list, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--profile", choices=("embedded", "production"), default="embedded", help="SQLite, PostgreSQL")
    parser.add_argument("--rows", type=int, default=5000, help="the most rows of a list")
    parser.add_argument("--most", type=float, default=50.0, help="milliseconds that a page may take")
    parser.add_argument("--quick", action="store_true", help="at most 500 rows")
    parser.add_argument("lists", nargs="*", help="ids of operations; all without")
    given = parser.parse_args()
    sizes = (5, PAGE, 500 if given.quick else given.rows)
    with database(given.profile) as client:
        from tests.lists import LISTS

        bench, marked = Bench(client, sizes), 0
        heads = "  ".join(f"{f'{size:,} rows':>13}" for size in sizes)
        print(
            f"{given.profile}: queries and ms (least of {REPEATS}) of a first page of {PAGE}, and of finding one by q"
        )
        print(f"load of the machine: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
        print(f"{'':28} {heads}  {'q':>13}  {'fill s':>6}")
        for operation in given.lists or sorted(LISTS):
            figures = bench.measure(operation)
            marked += bool(figures.marks(given.most))
            print(figures.line(given.most), flush=True)
        print(f"{marked} lists are slow or grow")


if __name__ == "__main__":
    main()
