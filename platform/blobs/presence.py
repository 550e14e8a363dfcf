"""Whether the objects that blobs lie in are still in the bucket: a few at a time, one after the other, and again."""

import time

from django.db.models import Exists, OuterRef

from blobs.models import Blob, StoredObject
from blobs.store import BlobStore

LOOK_SECONDS = 10.0
AT_ONCE = 8
REMEMBERED = 100


class Patrol:
    """Goes round all objects, `AT_ONCE` of them at most every LOOK_SECONDS, and remembers those that were not there."""

    def __init__(self) -> None:
        self._after = 0
        self._looked = -LOOK_SECONDS
        self._missing: set[str] = set()

    def words(self) -> str:
        """What is missing as far as it has come; nothing where all was there."""
        missing = sorted(self._missing)
        return f"{len(missing)} missing, the first: {missing[0]}" if missing else ""

    def look(self, store: BlobStore) -> None:
        """Go on, if it is time: at the next objects, and again at those that were missing. One thread at a time may.
        Raises BlobFault where the store does not answer."""
        if time.monotonic() - self._looked < LOOK_SECONDS:
            return
        wanted = StoredObject.objects.present().filter(Exists(Blob.objects.filter(key=OuterRef("key"))))
        rows = dict(wanted.filter(pk__gt=self._after).order_by("pk").values_list("pk", "key")[:AT_ONCE])
        keys = {*rows.values(), *wanted.filter(key__in=self._missing).values_list("key", flat=True)[:REMEMBERED]}
        self._missing = {key for key in keys if not store.has_object(key)}
        self._after = max(rows) if len(rows) == AT_ONCE else 0
        self._looked = time.monotonic()
