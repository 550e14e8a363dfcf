"""Calculate what a collection would do, without doing any of it."""

from collections import Counter
from datetime import timedelta
from typing import Any

from django.conf import settings

from blobs.keys import is_pack
from blobs.models import Blob, StoredObject
from blobs.references import without_references
from blobs.services import chunks
from garbage_collection.objects import closable, pages, removable
from garbage_collection.packs import live_bytes
from garbage_collection.rows import WINDOW, collectable, windows
from garbage_collection.work import Work, before

SHOWN = 100


def preview(grace: timedelta, work: Work) -> dict[str, Any]:
    """`{blobs, objects, bytes, rewritten, kept, list: [{key, size, what: "remove" | "rewrite"}]}`, with at most SHOWN
    objects in the list."""
    dead: Counter[str] = Counter()
    blobs = 0
    for window in windows():
        work.check()
        for key, size in collectable(window, grace).values_list("key", "size"):
            dead[key] += size
            blobs += 1
        work.done(WINDOW)
    listed = _unused(grace, work) + _emptied(dead, grace)
    removed = [row for row in listed if row["what"] == "remove"]
    return {
        "blobs": blobs,
        "objects": len(removed),
        "bytes": sum(row["size"] for row in removed),
        "rewritten": len(listed) - len(removed),
        "kept": Blob.objects.count() - blobs,
        "list": listed[:SHOWN],
    }


def _unused(grace: timedelta, work: Work) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    for rows in (closable(StoredObject.objects.all(), grace), removable(grace)):
        for page in pages(rows):
            work.check()
            found += [{"key": row.key, "size": row.size, "what": "remove"} for row in page]
    return found


def _emptied(dead: Counter[str], grace: timedelta) -> list[dict[str, Any]]:
    """List the objects that hold bytes in use now, and would hold none or few."""
    found: list[dict[str, Any]] = []
    for keys in chunks(dead):
        quiet = without_references(StoredObject.objects.present().filter(key__in=keys, written__lt=before(grace)))
        for row, live in live_bytes(list(quiet)):
            left = live - dead[row.key]
            if not left:
                found.append({"key": row.key, "size": row.size, "what": "remove"})
            elif is_pack(row.key) and left < settings.GC_LIVE_SHARE * row.size:
                found.append({"key": row.key, "size": row.size, "what": "rewrite"})
    return found
