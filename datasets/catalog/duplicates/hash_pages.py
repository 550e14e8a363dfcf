"""Pages of perceptual hashes: all images of a dataset as two arrays, read whole (16 bytes an image).

A page may be out of date: it still has samples that are gone, or have another image now.
"""

from collections.abc import Collection, Iterable

import numpy as np
from numpy.typing import NDArray

from blobs.likeness import Hashes, hashes
from catalog.models import Dataset, HashPage, Version

PAGE_ROWS = 1 << 16
SMALL_PAGES = 64
_INT64 = np.dtype("<i8")

Ids = NDArray[np.int64]


def read_pages(version: Version | None, *, test: bool) -> tuple[Ids, Hashes]:
    """Return the sample ids (N,) and hashes (N,) of the images that were added to test, or outside it, in a version's
    dataset or those it was forked from."""
    dataset_ids = [dataset for dataset, _ in version.path] if version else []
    pages = list(HashPage.objects.filter(dataset__in=dataset_ids, test=test).values_list("samples", "hashes"))
    return _joined([page[0] for page in pages]), hashes(_joined([page[1] for page in pages]))


def read_page(version: Version | None) -> tuple[Ids, Hashes]:
    """Return the ids and hashes of one page of the images outside test: the largest."""
    dataset_ids = [dataset for dataset, _ in version.path] if version else []
    page = HashPage.objects.filter(dataset__in=dataset_ids, test=False).order_by("-rows", "pk").first()
    if page is None:
        return _joined([]), hashes(_joined([]))
    return _joined([page.samples]), hashes(_joined([page.hashes]))


def add_pages(dataset: Dataset, ids: Ids, values: Hashes, *, test: bool) -> None:
    """Store the hashes (N,) of added images. Many small pages are joined into one, so that no read loads hundreds."""
    if not len(ids):
        return
    HashPage.objects.bulk_create(_cut(dataset, ids, values, test=test))
    small = HashPage.objects.filter(dataset=dataset, test=test, rows__lt=PAGE_ROWS).order_by("pk")
    if small.count() <= SMALL_PAGES:
        return
    pages = list(small)
    ids, values = _joined([page.samples for page in pages]), hashes(_joined([page.hashes for page in pages]))
    HashPage.objects.filter(pk__in=[page.pk for page in pages]).delete()
    HashPage.objects.bulk_create(_cut(dataset, ids, values, test=test))


def _joined(columns: list[bytes | memoryview]) -> Ids:
    return np.frombuffer(b"".join(columns), _INT64)


def _cut(dataset: Dataset, ids: Ids, values: Hashes, *, test: bool) -> list[HashPage]:
    signed = values.astype(_INT64)
    return [
        HashPage(
            dataset=dataset,
            test=test,
            rows=len(ids[at : at + PAGE_ROWS]),
            samples=ids[at : at + PAGE_ROWS].astype(_INT64).tobytes(),
            hashes=signed[at : at + PAGE_ROWS].tobytes(),
        )
        for at in range(0, len(ids), PAGE_ROWS)
    ]


def forget(datasets: Iterable[int], samples: Collection[int]) -> None:
    """Delete the hashes of these samples from the datasets' pages."""
    gone = np.fromiter(samples, dtype=_INT64)
    for page in HashPage.objects.filter(dataset__in=list(datasets)):
        ids = np.frombuffer(page.samples, _INT64)
        kept = ~np.isin(ids, gone)
        if not kept.all():
            page.samples, page.rows = ids[kept].tobytes(), int(kept.sum())
            page.hashes = np.frombuffer(page.hashes, _INT64)[kept].tobytes()
            page.save(update_fields=["samples", "hashes", "rows"])
