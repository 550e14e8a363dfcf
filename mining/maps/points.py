"""The points of a map as bytes: columns one after the other, little-endian, behind a header that says where each lies.

`xy` float32 pairs, `sample` uint32 ids, `class` uint16 index into `classes` (65535: none, or several), `split` uint8
index into `splits`, `uniqueness` float32 (see `projection.uniqueness`; older maps have none); of a map by a model also
`predicted` uint16 index into `predicted_classes`, and `confidence` uint8, 0..255. Each column begins at a multiple of
its items' size when the header's length is one of 8, as it is here.
"""

import hashlib
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import orjson
from django.db.models import Q
from numpy.typing import NDArray

from catalog.erasure.containment import spans_of
from catalog.models import Sample, Split
from maps.models import MapPoints

UNIQUENESS = "uniqueness"
COLUMNS: dict[str, np.dtype[Any]] = {
    "xy": np.dtype("<f4"),
    "sample": np.dtype("<u4"),
    "class": np.dtype("<u2"),
    "split": np.dtype("u1"),
    "predicted": np.dtype("<u2"),
    "confidence": np.dtype("u1"),
    UNIQUENESS: np.dtype("<f4"),
}
NONE = 65535
ALIGNED = 8
Columns = Mapping[str, NDArray[Any]]


def packed(columns: Columns) -> bytes:
    """Join the given columns, in the order of COLUMNS, as bytes."""
    body = b""
    for name in _named(columns):
        body += bytes(-len(body) % COLUMNS[name].itemsize)
        body += np.ascontiguousarray(columns[name], COLUMNS[name]).tobytes()
    return body


def unpacked(data: bytes | memoryview, count: int, names: Collection[str]) -> dict[str, NDArray[Any]]:
    """Split bytes that `packed` has made into their columns."""
    return {
        place["name"]: np.frombuffer(data, COLUMNS[place["name"]], count * place["width"], place["offset"]).reshape(
            (count, 2) if place["width"] > 1 else count
        )
        for place in places(count, names)
    }


def places(count: int, names: Collection[str]) -> list[dict[str, Any]]:
    """Return `{name, type, width, offset}` of each column, the offset in bytes after the header."""
    found, at = [], 0
    for name in _named(names):
        dtype, width = COLUMNS[name], 2 if name == "xy" else 1
        at += -at % dtype.itemsize
        found.append({"name": name, "type": dtype.name, "width": width, "offset": at})
        at += dtype.itemsize * width * count
    return found


def header(count: int, names: Collection[str], classes: Sequence[str], predicted: Sequence[str] | None) -> bytes:
    """Return the header: one line of JSON, padded with spaces to a multiple of 8 bytes."""
    document = {"count": count, "classes": classes, "splits": Split.values, "columns": places(count, names)}
    line = orjson.dumps(document if predicted is None else document | {"predicted_classes": predicted})
    return line + b" " * (-(len(line) + 1) % ALIGNED) + b"\n"


def without(columns: Columns, samples: Collection[int]) -> dict[str, NDArray[Any]]:
    """Return the columns without these samples."""
    kept = ~np.isin(columns["sample"], list(samples))
    return {name: values[kept] for name, values in columns.items()}


def digest_of(data: bytes) -> str:
    """Return the digest that names these points."""
    return hashlib.sha256(data).hexdigest()[:32]


def forget_samples(samples: Collection[int]) -> None:
    """Remove samples from all maps, inside the transaction that erases them."""
    spans = [span for sample in Sample.objects.filter(pk__in=samples) for span in spans_of(sample)]
    held = Q(pk=None)
    for place in {(span.dataset.pk, span.first, span.last) for span in spans}:
        held |= Q(map__version__dataset=place[0], map__version__number__range=place[1:])
    for points in MapPoints.objects.filter(held).select_related("map").iterator(chunk_size=1):
        kept = without(unpacked(points.data, points.count, points.map.facts["columns"]), samples)
        points.data, points.count = packed(kept), len(kept["sample"])
        points.digest = digest_of(points.data)
        points.save(update_fields=["data", "count", "digest"])


def _named(names: Collection[str]) -> list[str]:
    return [name for name in COLUMNS if name in names]
