"""The samples of a version as columns, for computations over all of them at once."""

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from catalog.filtering import predictions
from catalog.filtering.checks import predicted
from catalog.filtering.expressions import Compare, Expression, Prediction, all_of, conjuncts
from catalog.filtering.filters import Filter
from catalog.models import Split, Version

KEPT_VERSIONS = 4
CHUNK = 10_000
SPLITS = tuple(Split.values)


@dataclass(frozen=True, eq=False)
class Members:
    """The samples of a version, ascending by id, (N,), the md5 of their images (N,), the indices of their labels in the
    dataset's `classes` (N,), -1 for a label without a single class or no label, whether they are labelled (N,), and
    the indices of their splits in SPLITS (N,)."""

    samples: NDArray[np.int64]
    md5: NDArray[np.bytes_]
    labels: NDArray[np.intp]
    labelled: NDArray[np.bool_]
    splits: NDArray[np.int8]
    classes: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.samples)

    def chosen(self, version: Version, chosen: Filter) -> NDArray[np.intp]:
        """Return the indices, ascending, of the samples that pass a filter. Only conditions that can't be computed from
        the columns query the database."""
        kept, rest = np.ones(len(self), bool), list[Expression]()
        for part in conjuncts(chosen.expression):
            known = self._fulfil(part, chosen)
            if known is None:
                rest.append(part)
            else:
                kept &= known
        if rest:
            asked = replace(chosen, expression=all_of(rest))
            rows = asked.apply(version.revisions).order_by().values_list("sample_id", flat=True)
            kept &= np.isin(self.samples, np.fromiter(rows.iterator(chunk_size=CHUNK), np.int64))
        return np.flatnonzero(kept)

    def _fulfil(self, part: Expression, chosen: Filter) -> NDArray[np.bool_] | None:
        """Return (N,) whether each sample fulfils a condition; None if the columns can't tell."""
        if isinstance(part, Prediction):
            return predictions.source().matches(predicted(part), self.md5, self.labels)
        if not isinstance(part, Compare) or part.operator not in ("=", "in"):
            return None
        values = part.operand if isinstance(part.operand, tuple) else (part.operand,)
        if part.path == ("labelled",):
            return self.labelled if part.operand else ~self.labelled
        if part.path == ("split",):
            return np.isin(self.splits, [SPLITS.index(str(value)) for value in values])
        if part.path == ("class",) and not chosen.ground.several:
            return np.isin(self.labels, [self.classes.index(str(value)) for value in values])
        return None


def asks_of_predictions(chosen: Filter) -> bool:
    """Whether the filter has a condition on predictions, which is faster to compute here than in the database."""
    return any(isinstance(part, Prediction) for part in conjuncts(chosen.expression))


def members_of(version: Version) -> Members:
    """Return all members of a version. A process caches those of the last few versions; they change only if samples are
    erased or the dataset's classes change."""
    return _members(version.pk, version.erased, version.created.isoformat(), tuple(version.dataset.classes))


@lru_cache(maxsize=KEPT_VERSIONS)
def _members(pk: int, erased: int, created: str, classes: tuple[str, ...]) -> Members:  # noqa: ARG001 - what tells versions apart
    version = Version.objects.select_related("dataset").get(pk=pk)
    places = {name: place for place, name in enumerate(classes)}
    splits = {name: place for place, name in enumerate(SPLITS)}
    rows = version.revisions.order_by("sample_id")
    read = rows.values_list("sample_id", "blob__md5", "class_name", "label_id", "split")
    samples, digests, labels, labelled, lies = list[int](), bytearray(), list[int](), list[bool](), list[int]()
    for sample, md5, name, label, split in read.iterator(chunk_size=CHUNK):
        samples.append(sample)
        digests += bytes.fromhex(md5)
        labels.append(places.get(name, -1))
        labelled.append(label is not None)
        lies.append(splits[split])
    return Members(
        np.array(samples, np.int64), np.frombuffer(bytes(digests), "S16"), np.array(labels, np.intp),
        np.array(labelled, bool), np.array(lies, np.int8), classes,
    )  # fmt: skip
