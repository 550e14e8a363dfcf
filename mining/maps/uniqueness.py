"""The uniqueness of a version's samples, as measured by the maps of their dataset."""

from collections.abc import Hashable

import numpy as np
from numpy.typing import NDArray

from catalog.models import Version
from catalog.reading.uniqueness import register
from core.errors import Invalid
from maps.models import EmbeddingMap
from maps.points import UNIQUENESS, unpacked
from maps.services import maps_of, points_of

Ids = NDArray[np.int64]


class MapUniqueness:
    """Reads uniqueness from the newest map of a version; without one, from the newest of its dataset."""

    def state(self, version: Version) -> Hashable:
        return _map(version).points.digest

    def values(self, version: Version, samples: Ids) -> NDArray[np.float64]:
        made = _map(version)
        points = points_of(made)
        assert points is not None  # noqa: S101 - `_map` chose one that has them
        columns = unpacked(points.data, points.count, made.facts["columns"])
        known = columns["sample"].astype(np.int64)
        order = np.argsort(known)
        places = order[np.minimum(np.searchsorted(known, samples, sorter=order), len(known) - 1)]
        return np.where(known[places] == samples, columns[UNIQUENESS][places].astype(np.float64), np.nan)


def _map(version: Version) -> EmbeddingMap:
    made = maps_of(version.dataset).filter(points__count__gt=0)
    measured = [one for one in made if UNIQUENESS in one.facts["columns"]]
    if not measured:
        raise Invalid.field(
            "order", f"is measured by a map, and {version.dataset.name} has none: make one, with or without a model"
        )
    return max(measured, key=lambda one: (one.version_id == version.pk, one.pk))


register(MapUniqueness())
