"""A filter held against a dataset: checked, and ready to choose samples. The grammar is in `filtering`."""

import hashlib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import orjson

from catalog.filtering import sql
from catalog.filtering.checks import check
from catalog.filtering.documents import read_document, write_document
from catalog.filtering.expressions import (
    EVERYTHING,
    All,
    AnyOf,
    Compare,
    Expression,
    Not,
    Prediction,
    all_of,
    any_of,
    conjuncts,
    mapped,
    terms,
)
from catalog.filtering.faults import FIELD, Faults
from catalog.filtering.printing import write_text
from catalog.filtering.sql import Ground
from catalog.filtering.text import read_text
from catalog.models import Dataset, RevisionQuerySet, Slice, Split, Version

CHANGING = ("near_duplicate", "held_out", "author")
"""Fields whose values for a version's samples may change after its commit."""


@dataclass(frozen=True, slots=True)
class Filter:
    """A filter that was checked for a dataset; `expression` has the conditions of slices in place of their names."""

    expression: Expression
    ground: Ground
    written: Expression = field(compare=False, default=EVERYTHING)
    """The filter as it was given, with the names of slices."""

    @classmethod
    def of(cls, given: Any, dataset: Dataset, *, field: str = FIELD) -> "Filter":
        """Parse and check JSON or text. Raises Invalid naming the condition, like `filter.meta.speed`, or the
        character."""
        is_text = isinstance(given, str)
        faults = Faults(field, given if is_text else None)
        return cls.made(read_text(given, faults) if is_text else read_document(given, faults), dataset, faults)

    @classmethod
    def made(cls, written: Expression, dataset: Dataset, faults: Faults | None = None) -> "Filter":
        """Check an expression. Raises Invalid as `of` does."""
        faults = faults or Faults()
        check(written, dataset, faults)
        whole = mapped(written, lambda term: _written_out(term, dataset, faults))
        check(whole, dataset, faults)
        return cls(whole, Ground.of(dataset), written)

    @property
    def document(self) -> dict[str, Any]:
        """Its JSON form."""
        return write_document(self.expression)

    @property
    def text(self) -> str:
        """Its text form, with slices by name."""
        return write_text(self.written)

    def apply(self, rows: RevisionQuerySet) -> RevisionQuerySet:
        """Filter `rows` to the revisions that pass. Raises Invalid for a model that is gone or has no scores."""
        joined = self._joined
        for part in conjuncts(self.expression):
            # As a join, the index of classes gives the rows in the order of their sample ids.
            if part is joined:
                rows = rows.filter(mentions__class_name=part.operand)
            else:
                rows = rows.filter(sql.condition(part, self.ground))
        return rows

    @property
    def order(self) -> str:
        """The column to order the passing rows by sample id from an index."""
        return "mentions__sample_id" if self._joined is not None else "sample_id"

    @property
    def cells(self) -> dict[str, object] | None:
        """The cells of the tally that hold exactly the samples that pass; None if the tally can't tell them apart."""
        cells: dict[str, object] = {"class_name": ""}
        told: set[str] = set()
        for part in conjuncts(self.expression):
            if not isinstance(part, Compare) or part.path[0] not in _CELLS or part.path[0] in told:
                return None
            told.add(part.path[0])
            if part.operator == "=":
                cells[_CELLS[part.path[0]]] = part.operand
            elif part.path == ("split",):  # a sample lies in one split, and in the cells of all its classes
                cells["split__in"] = part.operand
            else:
                return None
        return cells

    @property
    def splits(self) -> set[str]:
        """The splits whose samples can pass; no sample of another split does."""
        return _splits(self.expression)

    def place(self, version: Version) -> str | None:
        """Return the cache key for results of this filter; None if they may change while the version doesn't."""
        if any(isinstance(term, Prediction) for term in terms(self.expression)):
            return None
        if any(isinstance(term, Compare) and term.path[0] in CHANGING for term in terms(self.expression)):
            return None
        of = (version.pk, version.created.isoformat(), version.counts["samples"], self.document)
        return hashlib.sha256(orjson.dumps(of, option=orjson.OPT_SORT_KEYS)).hexdigest()

    @property
    def _joined(self) -> Compare | None:
        """The condition `class = ..`, if labels may name several classes."""
        named = (part for part in conjuncts(self.expression) if isinstance(part, Compare) and part.path == ("class",))
        return next((part for part in named if part.operator == "="), None) if self.ground.several else None


_CELLS = {"split": "split", "class": "class_name", "labelled": "labelled"}


def both(dataset: Dataset, filters: Iterable[Filter]) -> Filter:
    """Return the filter that passes the samples that all the given filters pass."""
    found = list(filters)
    written = all_of([each.written for each in found])
    return Filter(all_of([each.expression for each in found]), Ground.of(dataset), written)


def everything(dataset: Dataset) -> Filter:
    """Return the filter that all samples pass."""
    return both(dataset, ())


def _written_out(term: Compare | Prediction, dataset: Dataset, faults: Faults) -> Expression:
    """Replace the slices that a term names by their conditions, at least one of which must hold."""
    if not isinstance(term, Compare) or term.path != ("slice",):
        return term
    names = term.operand if isinstance(term.operand, tuple) else (term.operand,)
    stored: Mapping[str, Any] = dict(
        Slice.objects.filter(dataset=dataset, name__in=names).values_list("name", "filter")
    )
    parts = []
    for name in names:
        if name not in stored:
            raise faults.at(term.at, f"the dataset has no slice {name!r}")
        parts.append(read_document(stored[str(name)], Faults(f"slice {name}")))
    return any_of(parts)


def _splits(expression: Expression) -> set[str]:
    every = set(Split.values)
    match expression:
        case All(parts):
            return every.intersection(*map(_splits, parts))
        case AnyOf(parts):
            return set[str]().union(*map(_splits, parts))
        case Not(Compare(path=("split",), operand=operand)):
            return every - set(operand if isinstance(operand, tuple) else (operand,))
        case Compare(path=("split",), operand=operand):
            return {str(one) for one in (operand if isinstance(operand, tuple) else (operand,))}
    return every
