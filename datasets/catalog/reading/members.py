"""The samples of a version as columns, for what is computed of all of them at once."""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from catalog.filtering.expressions import conjuncts
from catalog.filtering.filters import Filter
from catalog.models import Version

KEPT_VERSIONS = 4
CHUNK = 10_000


@dataclass(frozen=True, eq=False)
class Members:
    """The samples of a version, ascending by id, (N,), the md5 of their images (N,), and the places of their labels
    among the dataset's classes (N,), -1 where a label has no one class or there is none."""

    samples: NDArray[np.int64]
    md5: NDArray[np.bytes_]
    labels: NDArray[np.intp]

    def __len__(self) -> int:
        return len(self.samples)

    def chosen(self, version: Version, chosen: Filter) -> NDArray[np.intp]:
        """The places, ascending, of those that pass a filter."""
        if not conjuncts(chosen.expression):
            return np.arange(len(self))
        rows = chosen.apply(version.revisions).order_by().values_list("sample_id", flat=True)
        passing = np.fromiter(rows.iterator(chunk_size=CHUNK), np.int64)
        return np.flatnonzero(np.isin(self.samples, passing))


def members_of(version: Version) -> Members:
    """All of a version: a process keeps those of the last few. They change only where samples are erased."""
    return _members(version.pk, version.erased, version.created.isoformat())


@lru_cache(maxsize=KEPT_VERSIONS)
def _members(pk: int, erased: int, created: str) -> Members:  # noqa: ARG001 - what tells versions apart
    version = Version.objects.select_related("dataset").get(pk=pk)
    places = {name: place for place, name in enumerate(version.dataset.classes)}
    rows = version.revisions.order_by("sample_id").values_list("sample_id", "blob__md5", "class_name")
    samples, digests, labels = list[int](), bytearray(), list[int]()
    for sample, md5, name in rows.iterator(chunk_size=CHUNK):
        samples.append(sample)
        digests += bytes.fromhex(md5)
        labels.append(places.get(name, -1))
    return Members(np.array(samples, np.int64), np.frombuffer(bytes(digests), "S16"), np.array(labels, np.intp))
