"""Checks that the objects of all blobs are still in the bucket: a few at a time, in turn, again and again."""

import time

from django.db.models import Exists, OuterRef

from blobs.models import Blob, StoredObject
from blobs.store import BlobStore

LOOK_SECONDS = 10.0
AT_ONCE = 8
REMEMBERED = 100


class Patrol:
    """Checks all objects in turn, at most `AT_ONCE` of them every LOOK_SECONDS, and remembers the missing ones."""

    def __init__(self) -> None:
        self._after = 0
        self._looked = -LOOK_SECONDS
        self._missing: set[str] = set()

    def words(self) -> str:
        """Return a message about the objects missing so far; empty if there are none."""
        missing = sorted(self._missing)
        return f"{len(missing)} missing, the first: {missing[0]}" if missing else ""

    def look(self, store: BlobStore) -> None:
        """Check the next objects, and again those that were missing, if LOOK_SECONDS have passed. Call it from one
        thread at a time. Raises BlobFault if the store does not answer."""
        if time.monotonic() - self._looked < LOOK_SECONDS:
            return
        wanted = StoredObject.objects.present().filter(Exists(Blob.objects.filter(key=OuterRef("key"))))
        rows = dict(wanted.filter(pk__gt=self._after).order_by("pk").values_list("pk", "key")[:AT_ONCE])
        keys = {*rows.values(), *wanted.filter(key__in=self._missing).values_list("key", flat=True)[:REMEMBERED]}
        self._missing = {key for key in keys if not store.has_object(key)}
        self._after = max(rows) if len(rows) == AT_ONCE else 0
        self._looked = time.monotonic()
