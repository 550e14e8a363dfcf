"""Delete bytes at once, without a grace period: for erasure.

A commit that found these bytes here a moment ago finds their rows gone and must send them again. A reader of a pack by
offsets noted earlier still finds every other member in its place, because the freed one is overwritten in place before
the pack is emptied.
"""

from collections.abc import Iterable

from django.conf import settings
from django.db import transaction

from blobs.keys import blob_key, directory_key
from blobs.models import Blob, Remnant
from blobs.references import unreachable
from blobs.services import chunks
from garbage_collection.packs import close_places
from garbage_collection.rows import delete, forget
from garbage_collection.services import finish
from garbage_collection.work import Work, hours


def free(digests: Iterable[str], work: Work) -> list[str]:
    """Delete the bytes of those blobs that nothing refers to any more, in all objects that hold them; return the md5s
    of blobs that are still referred to. After a kill, call it again with the same digests."""
    wanted = sorted(set(digests))
    kept: list[str] = []
    for names in chunks(wanted):
        work.check()
        kept += _drop(names, work)
    finish(hours(settings.GC_GRACE_HOURS), work)
    return kept


def _drop(digests: list[str], work: Work) -> list[str]:
    with transaction.atomic():
        rows = Blob.objects.filter(md5__in=digests)
        locked = list(rows.select_for_update().order_by("md5"))
        dead = list(unreachable(Blob.objects.filter(pk__in=[blob.pk for blob in locked])))
        gone = set(digests) - {blob.md5 for blob in locked} | {blob.md5 for blob in dead}
        remnants = Remnant.objects.filter(md5__in=gone)
        places = [(blob.key, blob.offset, blob.size) for blob in dead]
        places += [(key, 0, blob.size) for blob in dead for key in (blob_key(blob.md5), directory_key(blob.md5))]
        places += remnants.values_list("object__key", "offset", "size")
        delete(dead, work)
        close_places(places)
    forget(dead)
    return sorted({blob.md5 for blob in locked} - gone)
