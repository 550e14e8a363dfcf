"""From the rows of a mining job to the columns of its pool, written block by block."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from django.db.models.expressions import Func
from numpy.typing import NDArray

from acquisition import Composition, Strategy, composition, strategy
from acquisition.columns import PoolFolder
from acquisition.odds import RIGHT, alone
from acquisition.ties import drawn_order
from blobs.services import chunks
from catalog.filtering.filters import Filter
from catalog.filtering.meta_sql import MetaNumber, MetaText
from catalog.models import RevisionQuerySet, Split
from jobs.errors import ShardFailed
from mining_jobs.models import MiningJob
from mining_jobs.picks.candidates import evidence_split, labelled_of, looks_at_labelled, needs_scores, pool_of
from mining_jobs.picks.copies import write_copies
from mining_jobs.scores.backbone import backbone
from mining_jobs.scores.files import calibration_of, table_alone, table_of
from scoring.table import Digests, packed

AT_ONCE = 10_000
"""Rows to read at once from the database or from score files."""
EVIDENCE = 2000
"""Largest number of labelled images that measure how often a model is right: matching their boxes takes about a
millisecond each."""
Check = Callable[[], None]
Column = NDArray[Any]


@dataclass(frozen=True)
class Facts:
    """N samples as the catalog describes them, by id, or in the order of their draws: `ids` (N,), `md5` (N,), `labels`
    (N,) the index of the class, -1 for none; and by name the columns that a composition needs."""

    ids: NDArray[np.int64]
    md5: Digests
    labels: NDArray[np.intp]
    named: Mapping[str, Column]

    def take(self, rows: NDArray[np.bool_] | NDArray[np.intp]) -> "Facts":
        """Return the facts of these rows alone, by a mask or by their places."""
        named = {name: values[rows] for name, values in self.named.items()}
        return Facts(self.ids[rows], self.md5[rows], self.labels[rows], named)


def facts_of(rows: RevisionQuerySet, made: Composition, classes: Sequence[str]) -> Facts:
    """Return the facts of some revisions, holding at most one block of them as Python objects at a time."""
    readers = _readers(made)
    asked = {name: expression for reader in readers.values() for name, expression in reader.expressions().items()}
    names = ["sample_id", "blob__md5", "class_name", *asked]
    index = {name: place for place, name in enumerate(classes)}
    query = rows.order_by("sample_id").annotate(**asked).values_list(*names)
    blocks = [Facts(np.empty(0, np.int64), packed([]), np.empty(0, np.intp), {n: r.empty for n, r in readers.items()})]
    for block in chunks(query.iterator(chunk_size=AT_ONCE), AT_ONCE):
        columns = dict(zip(names, zip(*block, strict=True), strict=True))
        blocks.append(
            Facts(
                np.array(columns["sample_id"], np.int64),
                packed(columns["blob__md5"]),
                np.array([index.get(name, -1) for name in columns["class_name"]], np.intp),
                {name: reader.read(columns) for name, reader in readers.items()},
            )
        )
    return Facts(
        np.concatenate([block.ids for block in blocks]),
        np.concatenate([block.md5 for block in blocks]),
        np.concatenate([block.labels for block in blocks]),
        {name: np.concatenate([block.named[name] for block in blocks]) for name in readers},
    )


@dataclass(frozen=True, slots=True)
class _Reader:
    """How one column is read from a sample's metadata, under a dotted name."""

    key: str
    of: Callable[[str | None, float | None], Any]
    kind: type[str] | type[float]

    @property
    def empty(self) -> Column:
        return np.empty(0, self.kind)

    def expressions(self) -> dict[str, Func]:
        path = self.key.split(".")
        return {f"text_{self.key}": MetaText(path), f"number_{self.key}": MetaNumber(path)}

    def read(self, columns: Mapping[str, Sequence[Any]]) -> Column:
        texts, numbers = columns[f"text_{self.key}"], columns[f"number_{self.key}"]
        return np.array([self.of(text, number) for text, number in zip(texts, numbers, strict=True)], self.kind)


def _readers(made: Composition) -> dict[str, _Reader]:
    found = {}
    if made.gap is not None:
        found["groups"] = _Reader(made.gap.group, _name, str)
        found["times"] = _Reader(made.gap.time, _seconds, float)
    if made.source is not None:
        found["sources"] = _Reader(made.source, _name, str)
    if made.cost is not None and made.cost.meta is not None:
        default = made.cost.default
        found["costs"] = _Reader(made.cost.meta, lambda _, number: default if number is None else number, float)
    return found


def _name(text: str | None, number: float | None) -> str:
    if number is not None:
        return str(int(number)) if number.is_integer() else str(number)
    return text or ""


def _seconds(text: str | None, number: float | None) -> float:
    """The time in seconds; NaN for a value that is no time."""
    if number is not None:
        return number
    try:
        time = datetime.fromisoformat(text or "")
    except ValueError:
        return float("nan")
    return (time if time.tzinfo else time.replace(tzinfo=UTC)).timestamp()


@dataclass(frozen=True, slots=True)
class Written:
    """The samples in a pool's column `labelled`, in that order, and figures of the evidence, if a strategy needs it."""

    labelled: NDArray[np.int64]
    evidence: Mapping[str, Any] | None = None


def write_pool(job: MiningJob, path: Path, check: Check) -> Written:
    """Write the pool of a job as a folder. `check` is called between blocks and may raise to stop. Samples that could
    not be scored are left out.

    Raises ShardFailed when no wanted sample is left to compare with (`wanted`).
    """
    chosen = strategy(job.strategy, job.params)
    made = composition(job.compose)
    classes = job.classes
    folder = PoolFolder(path, classes, job.dataset.task)
    labelled_pool = looks_at_labelled(chosen)
    mined = pool_of(job.version, job.filter, labelled=labelled_pool)
    facts = facts_of(mined, made, classes)
    facts = facts.take(drawn_order(facts.ids, job.seed))
    if not needs_scores(chosen, made, job.committee):
        _write_facts(folder, facts, job, mined, made)
        folder.close()
        return Written(facts.ids[:0])
    scores = _Scores(job, check)
    facts, rows = scores.known(facts)
    _write_facts(folder, facts, job, mined, made)
    if labelled_pool:
        places = job.dataset.task_type.mining.places
        folder.write("labels", _targets(job, mined, facts) if places else facts.labels)
    _write_scores(folder, job, chosen, scores, rows)
    known, rows = scores.known(facts_of(labelled_of(job.version), made, classes))
    folder.write_blocks("labelled", len(rows), scores.embeddings(rows))
    if job.dataset.task_type.mining.one_distribution:
        folder.write("labelled_classes", known.labels)
    folder.write("labelled_ids", known.ids)
    for name in ("groups", "times"):
        if name in known.named:
            folder.write(f"labelled_{name}", _timed(known.named)[name])
    for name, document in (("wanted", job.like), ("unwanted", job.unlike)):
        if document is not None:
            _write_similar(folder, name, job, document, scores)
    split = evidence_split(chosen, job.version)
    evidence = None if split is None else _write_evidence(folder, job, split, scores)
    folder.close()
    return Written(known.ids, evidence)


def _write_scores(
    folder: PoolFolder, job: MiningJob, chosen: Strategy, scores: "_Scores", rows: NDArray[np.intp]
) -> None:
    """Write what is stored of the candidates in these rows of the score table."""
    if job.model_version is not None:
        folder.write_blocks("probabilities", len(rows), scores.probabilities(rows))
    folder.write_blocks("embeddings", len(rows), scores.embeddings(rows))
    if "cells" in chosen.needs:
        folder.write_blocks("cells", len(rows), scores.cells(rows))
    if job.committee is not None:
        folder.write_blocks("members", len(rows), scores.members(rows))


class _Scores:
    """The predictions of a model and its committee, block by block; probabilities are those of the calibrated model.
    Without a model, the embeddings of the backbone."""

    def __init__(self, job: MiningJob, check: Check) -> None:
        self._check, fitted = check, None
        if job.model_version is not None:
            self._table, fitted = table_of(job.model_version, job.committee), calibration_of(job.model_version)
        elif (alone := backbone()) is not None:
            self._table = table_alone(alone)
        else:
            raise ShardFailed("no image could be embedded: look at the job's quarantine", code="nothing_embedded")
        self._temperature = fitted["temperature"] if fitted else 1.0
        self._outputs, self._mining = job.dataset.task_type.outputs, job.dataset.task_type.mining

    def known(self, facts: Facts) -> tuple[Facts, NDArray[np.intp]]:
        """Return the samples that have scores, and their rows in the score table."""
        rows = self._table.rows(facts.md5)
        return facts.take(rows >= 0), rows[rows >= 0]

    def probabilities(self, rows: NDArray[np.intp]) -> Iterator[Column]:
        """Yield calibrated probabilities (n, K) for each block."""
        return self._blocks(
            rows, lambda block: self._outputs.tempered(self._table.probabilities_of(block), self._temperature)
        )

    def members(self, rows: NDArray[np.intp]) -> Iterator[Column]:
        """Yield the members' probabilities (n, M, K) for each block, aligned but not calibrated: the temperature was
        fitted on the model as a whole."""
        return self._blocks(rows, lambda block: self._mining.aligned(self._table.members_of(block)), each=AT_ONCE // 10)

    def cells(self, rows: NDArray[np.intp]) -> Iterator[Column]:
        """Yield cells (n, M) for each block."""
        return self._blocks(rows, self._table.cells_of)

    def embeddings(self, rows: NDArray[np.intp]) -> Iterator[Column]:
        """Yield embeddings (n, D) for each block, in single precision."""
        return self._blocks(rows, lambda block: self._table.embedding_of(block).astype(np.float32))

    def _blocks(
        self, rows: NDArray[np.intp], of: Callable[[NDArray[np.intp]], Column], *, each: int | None = None
    ) -> Iterator[Column]:
        step = each or AT_ONCE
        for at in range(0, max(len(rows), 1), step):
            self._check()
            yield of(rows[at : at + step])


def _write_facts(folder: PoolFolder, facts: Facts, job: MiningJob, mined: RevisionQuerySet, made: Composition) -> None:
    folder.write("ids", facts.ids)
    write_copies(folder, mined, facts.ids, facts.md5, near=made.near_copies is not None)
    for name, values in _timed(facts.named).items():
        folder.write(name, values)
    folder.write_slices({name: _inside(job, document, facts.ids) for name, document in job.slices.items()})


def _timed(named: Mapping[str, Column]) -> dict[str, Column]:
    """Take samples without a time out of their groups: no gap can be measured for them."""
    if "times" not in named:
        return dict(named)
    unknown = np.isnan(named["times"])
    return dict(named) | {
        "groups": np.where(unknown, "", named["groups"]),
        "times": np.where(unknown, 0.0, named["times"]),
    }


def _inside(job: MiningJob, document: Mapping[str, Any], ids: NDArray[np.int64]) -> NDArray[np.bool_]:
    rows = Filter.of(document, job.dataset).apply(job.version.revisions).order_by("sample_id")
    return np.isin(ids, np.fromiter(_ids(rows), np.int64))


def _ids(rows: RevisionQuerySet) -> Iterable[int]:
    return rows.values_list("sample_id", flat=True).iterator(chunk_size=AT_ONCE)


def _write_similar(folder: PoolFolder, name: str, job: MiningJob, document: Mapping[str, Any], scores: _Scores) -> None:
    """Write embeddings and keys of the chosen samples, and of those in a split that the model gets wrong."""
    classes = job.classes
    chosen = job.version.revisions.filter(sample__in=document["samples"])
    facts, places = scores.known(facts_of(chosen, Composition(), classes))
    rows, keys = [places], _keys_of(chosen, facts.ids)
    if split := document.get("failures"):
        told = job.version.revisions.filter(split=split).exclude(label=None)
        facts, places = scores.known(facts_of(told, Composition(), classes))
        wrong = _failures(job, told, facts, scores.probabilities(places))
        rows.append(places[wrong])
        keys += _keys_of(told, facts.ids[wrong])
    found = np.concatenate(rows)
    if name == "wanted" and not len(found):
        raise ShardFailed(
            "like: none of the samples has scores, and the model makes no mistake there: name other samples",
            code="nothing_wanted",
        )
    folder.write_blocks(name, len(found), scores.embeddings(found))
    folder.write(f"{name}_keys", np.array(keys, np.str_))


def _keys_of(rows: RevisionQuerySet, ids: NDArray[np.int64]) -> list[str]:
    keys: dict[int, str] = dict(rows.values_list("sample_id", "sample__key").iterator(chunk_size=AT_ONCE))
    return [keys[sample] for sample in ids.tolist()]


def _write_evidence(folder: PoolFolder, job: MiningJob, split: Split, scores: _Scores) -> dict[str, Any]:
    """Write the model's predictions for the labelled images of a split, at most EVIDENCE evenly spread ones; return
    their figures.

    Raises ShardFailed where none of those images has scores.
    """
    model = job.model.model
    told = job.version.revisions.filter(split=split, blob__width__gt=0, blob__height__gt=0).exclude(label=None)
    facts, rows = scores.known(facts_of(told, Composition(), model.classes))
    labelled = len(rows)
    if not labelled:
        words = f"version: no labelled image of split {split} has a known size and scores: look at the job's quarantine"
        raise ShardFailed(words, code="no_evidence")
    chosen = np.isin(np.arange(labelled), np.arange(0, labelled, -(-labelled // EVIDENCE)))
    facts, rows = facts.take(chosen), rows[chosen]
    said, cells = (np.concatenate([*blocks]) for blocks in (scores.probabilities(rows), scores.cells(rows)))
    evidence = model.task_type.mining.evidence(said, cells, _targets(job, told, facts))
    folder.write("evidence", evidence)
    fit = alone(evidence, len(model.classes))
    return {
        "split": str(split),
        "labelled": labelled,
        "images": len(rows),
        "objects": len(evidence),
        "right": int(evidence[:, RIGHT].sum()),
        "classes_alone": [name for at, name in enumerate(model.classes) if at in fit],
    }


def _failures(
    job: MiningJob, told: RevisionQuerySet, facts: Facts, probabilities: Iterable[Column]
) -> NDArray[np.bool_]:
    """Return which samples the model gets wrong in any part, at even odds."""
    metrics = job.dataset.task_type.metrics
    said = np.concatenate([*probabilities])
    return ~metrics.judged(said, _targets(job, told, facts)).right if len(said) else np.zeros(0, np.bool_)


def _targets(job: MiningJob, told: RevisionQuerySet, facts: Facts) -> Column:
    """Return the labels of some samples of `told` in the form of `tasktypes.model_parts.Metrics.targets`."""
    rows = told.values_list("sample_id", "label__value", "blob__width", "blob__height")
    known = {pk: (label, size) for pk, label, *size in rows.iterator(chunk_size=AT_ONCE)}
    labels, sizes = zip(*(known[pk] for pk in facts.ids.tolist()), strict=True) if len(facts.ids) else ((), ())
    shapes = [(size[0], size[1]) if all(size) else None for size in sizes]
    return job.dataset.task_type.metrics.targets(labels, job.classes, shapes)
