"""Blobs whose bytes stay where they were found, in a foreign bucket.

A table of links is itself a blob: JSON lines, one place each. The ref of a linked blob names the table by its md5 and
the line by its number, so that everything that reads by ref (training, scoring, a browser) reads these too, verified as
always.
"""

import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from types import TracebackType
from typing import Any, Self

import orjson

from blobs.bucket import SINGLE_PUT_BYTES, Bucket
from blobs.digests import Digests, digests_of
from blobs.errors import BlobCorrupt, BlobMissing, StoreMisconfigured
from blobs.keys import blob_key, link_key, linked_table
from blobs.refs import BlobRef
from blobs.sources import ForeignBucket, Source

TABLE_LINKS = 5000
TABLES_KEPT = 64


@dataclass(frozen=True, slots=True)
class Place:
    """The location of a blob's bytes: an object in a bucket of a source."""

    source: str
    bucket: str
    key: str


class Links:
    """Finds linked blobs. Threads may share it."""

    def __init__(self, own: Bucket, sources: Callable[[], Mapping[str, Source]]) -> None:
        self._own = own
        self._sources = sources
        self._tables: OrderedDict[str, list[Place]] = OrderedDict()
        self._guard = threading.Lock()

    def find(self, ref: BlobRef) -> tuple[ForeignBucket, str]:
        """Return the bucket and key of a linked blob. Raises StoreMisconfigured for a source that is no longer set
        up."""
        return self.place_of(linked_table(ref.key) or "", ref.offset)

    def place_of(self, table: str, line: int) -> tuple[ForeignBucket, str]:
        """Return the bucket and key of a linked blob, by its table's md5 and its line. Raises as `find`, and
        BlobMissing."""
        places = self._table(table)
        if not 0 <= line < len(places):
            raise BlobMissing(f"the table of links {table} has no line {line}")
        place = places[line]
        source = self._sources().get(place.source)
        if source is None:
            raise StoreMisconfigured(
                f"line {line} of the table of links {table} lies at the source {place.source!r}, which is not set up "
                "here"
            )
        return source.bucket(place.bucket), place.key

    def _table(self, md5: str) -> list[Place]:
        with self._guard:
            if md5 in self._tables:
                self._tables.move_to_end(md5)
                return self._tables[md5]
        data = self._own.read(blob_key(md5), 0, SINGLE_PUT_BYTES, ranged=False)
        if digests_of(data).md5 != md5:
            raise BlobCorrupt(f"the table of links {md5} is not the one that was stored")
        _, *lines = data.splitlines()
        table = [Place(**orjson.loads(line)) for line in lines]
        with self._guard:
            self._tables[md5] = table
            while len(self._tables) > TABLES_KEPT:
                self._tables.popitem(last=False)
        return table


class LinkWriter:
    """Takes blobs like a PackWriter, and stores their places instead of their bytes.

    `places` maps each blob's md5 to its place; `keep` stores a table and makes its row.
    """

    def __init__(self, places: Mapping[str, Place], keep: Callable[[bytes], Any]) -> None:
        self._places = places
        self._keep = keep
        self._order: list[Digests] = []

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Do nothing, as nothing is open."""

    def add(self, data: bytes, *, digests: Digests | None = None) -> None:
        """Add one blob."""
        self._order.append(digests or digests_of(data))

    def close(self) -> list[BlobRef]:
        """Store the tables and return one ref per `add`, in order."""
        unique = list(dict.fromkeys(self._order))
        refs: dict[Digests, BlobRef] = {}
        for start in range(0, len(unique), TABLE_LINKS):
            some = unique[start : start + TABLE_LINKS]
            # Each table is unique, so that a later import never reuses one that was collected.
            head = orjson.dumps({"table": secrets.token_hex(16)})
            table = b"\n".join([head, *(orjson.dumps(asdict(self._places[one.md5])) for one in some)])
            self._keep(table)
            key = link_key(digests_of(table).md5)
            for line, one in enumerate(some):
                refs[one] = BlobRef(one.md5, one.sha256, one.size, key, line)
        return [refs[one] for one in self._order]
