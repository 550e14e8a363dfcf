"""What a training or a proof reads of a dataset version: how much, a digest of it, and how it differs from what an
earlier run read.

A version never changes but by an erasure. So the samples that it has lost since are those that were erased, and the
digests prove that nothing else differs.
"""

import hashlib
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NotRequired, TypedDict

import orjson

from catalog.exports.manifests import lines_of, manifest_lines
from catalog.models import RevisionQuerySet, Split, Version
from catalog.splits.barring import trainable
from registry.models import Run

SPLITS = {"train": Split.TRAIN, "validation": Split.VAL}
"""The splits that a training reads, by the names of its config."""


class ReadSplit(TypedDict):
    """The samples that were read, with a SHA-256 over key, md5, split and label of each, in the order of the
    manifest."""

    samples: int
    sha256: str


class Inputs(TypedDict):
    """What a training read, when (ISO 8601, UTC), and how many samples its dataset version had lost by then.
    `unlabelled`: samples without a label, for the learner `auto`. `resumed`: it went on from a snapshot of itself."""

    at: str
    erased: int
    train: ReadSplit
    validation: ReadSplit
    unlabelled: NotRequired[ReadSplit]
    resumed: NotRequired[bool]


class Difference(TypedDict):
    """Samples that are no longer read, that are read with another label or other bytes, and that are new."""

    gone: int
    changed: int
    added: int


class InputsChanged(TypedDict):
    """How the inputs of a clone differ from those of the `run` that it was cloned from. `same`: what both have read has
    the same digests; None before the clone has read its inputs."""

    run: int
    train: Difference
    validation: Difference
    same: NotRequired[bool | None]


def write_split(version: Version, path: Path, *, split: str | None, labelled: bool | None = True) -> ReadSplit:
    """Write the samples of a split as a program's manifest; say what was written."""
    return _written(manifest_lines(version, split=split, labelled=labelled), path, split)


def write_unlabelled(version: Version, path: Path, *, most: int) -> ReadSplit:
    """Write samples without a label that may be learned from, `most` at most, chosen by their bytes' digests, as a
    program's manifest; say what was written."""
    rows = version.revisions.filter(split__in=(Split.POOL, Split.TRAIN), label=None)
    chosen = trainable(rows, version).order_by("blob__sha256", "pk").values("pk")[:most]
    return _written(lines_of(version.revisions.filter(pk__in=chosen)), path, None)


def _written(lines: Iterator[dict[str, Any]], path: Path, split: str | None) -> ReadSplit:
    digest, samples = hashlib.sha256(), 0
    with path.open("wb") as file:
        for line in lines:
            file.write(orjson.dumps(line) + b"\n")
            facts = [line["key"], line["md5"], split, line["label"]]
            digest.update(orjson.dumps(facts, option=orjson.OPT_SORT_KEYS) + b"\n")
            samples += 1
    return {"samples": samples, "sha256": digest.hexdigest()}


def inputs_of(version: Version, train: ReadSplit, validation: ReadSplit) -> Inputs:
    """Return the inputs of a training that begins now."""
    erased = Version.objects.values_list("erased", flat=True).get(pk=version.pk)
    now = datetime.now(UTC).isoformat(timespec="microseconds")
    return {"at": now, "erased": erased, "train": train, "validation": validation}


def digests(inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The part of some inputs that determines weights: two trainings that read the same have the same."""
    return {name: inputs[name] for name in SPLITS}


def lost_since(run: Run) -> dict[str, int] | None:
    """Count, by split, the samples that a run read and its dataset version no longer has: they were erased. None if it
    is not known what it read, as of runs from before that was recorded."""
    if run.inputs:
        read = run.inputs[-1]
        if read["erased"] == run.version.erased:
            return dict.fromkeys(SPLITS, 0)
        return {name: max(0, read[name]["samples"] - _read_now(run.version, name).count()) for name in SPLITS}
    return dict.fromkeys(SPLITS, 0) if not run.version.erased else None


def difference(run: Run, version: Version) -> InputsChanged | None:
    """Return how what a version holds differs from what a run read; None if that is not known."""
    lost = lost_since(run)
    if lost is None:
        return None
    found = {name: _between(run.version, version, name) for name in SPLITS}
    for name, gone in lost.items():
        found[name]["gone"] += gone
    return {"run": run.pk, "train": found["train"], "validation": found["validation"], "same": None}


def _between(old: Version, new: Version, name: str) -> Difference:
    if old.pk == new.pk:
        return {"gone": 0, "changed": 0, "added": 0}
    before, after = _read_now(old, name), _read_now(new, name)
    states = dict(after.values_list("sample", "pk"))
    both = {sample: pk for sample, pk in before.values_list("sample", "pk") if sample in states}
    other = {sample for sample, pk in both.items() if states[sample] != pk}
    return {
        "gone": before.count() - len(both),
        "changed": _told_apart(before, after, other),
        "added": len(states) - len(both),
    }


def _told_apart(before: RevisionQuerySet, after: RevisionQuerySet, samples: set[int]) -> int:
    """Count those of the samples whose bytes or label value differ: the metadata is not read."""
    if not samples:
        return 0
    facts = ("sample", "blob", "label__value")
    old, new = (
        {sample: (blob, label) for sample, blob, label in rows.values_list(*facts).iterator() if sample in samples}
        for rows in (before, after)
    )
    return sum(old[sample] != new[sample] for sample in samples)


def _read_now(version: Version, name: str) -> RevisionQuerySet:
    return version.revisions.filter(split=SPLITS[name]).exclude(label=None)
