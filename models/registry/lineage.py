"""What a model version learned from and was judged by, and which versions carry its weights on."""

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict

from accounts import rights
from registry.ancestry import Edge, How, closure, edges_above, edges_below
from registry.models import Alias, ModelVersion, Promotion, Run

SPLITS = {"test": "test", "validation": "val", "proved": "train"}
"""Splits of the evaluation, by their names in a lock."""


class Relative(TypedDict):
    """A version one step from another (`of`): `how` says how the younger of the two got the older one's weights."""

    model: str
    version: int
    how: How
    of: str
    aliases: list[str]


class Learned(TypedDict):
    """A dataset version whose split train was read by the run of a version (`by`); `samples` is None where no record
    says how many, `erased` counts what the dataset version has lost to erasures."""

    dataset: str
    dataset_version: int
    samples: int | None
    erased: int
    by: str
    run: int


class Judged(TypedDict):
    """A split of the dataset version on which the file was evaluated (test, val), or checked (train)."""

    dataset: str
    dataset_version: int
    split: str
    samples: int | None


def lineage_of(version: ModelVersion) -> dict[str, Any]:
    """Return the lineage of a version, to any depth both ways, with a fixed number of queries. What the caller may not
    see is counted in `hidden`."""
    above, below = edges_above([version.pk]), edges_below([version.pk])
    ancestors = closure(above, [version.pk], above=True)
    descendants = closure(below, [version.pk])
    rows = _visible(ancestors | descendants)
    aliases = _aliases(rows)
    unfinished = Run.objects.filter(parent__in=descendants, model_version=None).order_by("pk")
    runs = list(rights.visible(unfinished, "model__project").select_related("model", "job", "parent__model"))
    trained = [rows[pk] for pk in sorted(ancestors) if pk in rows and rows[pk].run is not None]
    return {
        "model": version.model.name,
        "version": version.number,
        "aliases": aliases.get(version.pk, []),
        "former_aliases": _former(version, aliases.get(version.pk, [])),
        "learned_from": [_learned(row) for row in trained],
        "judged_by": _judged(version),
        "parents": [_relative(rows[edge.parent], edge, rows[edge.child], aliases) for edge in above
                    if edge.parent in rows and edge.child in rows],
        "descendants": [_relative(rows[edge.child], edge, rows[edge.parent], aliases) for edge in below
                        if edge.parent in rows and edge.child in rows],
        "runs": [{"id": run.pk, "model": run.model.name, "state": run.job.state, "of": _name(run.parent)}
                 for run in runs if run.parent is not None],
        "hidden": {
            "parents": len(ancestors - rows.keys()),
            "descendants": len(descendants - rows.keys()) + unfinished.count() - len(runs),
        },
    }  # fmt: skip


def _visible(ids: set[int]) -> dict[int, ModelVersion]:
    rows = ModelVersion.objects.filter(pk__in=ids).select_related("model", "run__version__dataset").defer("report")
    return {row.pk: row for row in rights.visible(rows, "model__project")}


def _aliases(rows: Mapping[int, ModelVersion]) -> dict[int, list[str]]:
    found: dict[int, list[str]] = {}
    for pk, name in Alias.objects.filter(version__in=rows).order_by("name").values_list("version", "name"):
        found.setdefault(pk, []).append(name)
    return found


def _former(version: ModelVersion, now: Sequence[str]) -> list[str]:
    ever = set(Promotion.objects.filter(version=version).values_list("alias", flat=True))
    return sorted(ever - set(now))


def _relative(row: ModelVersion, edge: Edge, of: ModelVersion, aliases: Mapping[int, list[str]]) -> Relative:
    return {"model": row.model.name, "version": row.number, "how": edge.how, "of": _name(of),
            "aliases": aliases.get(row.pk, [])}  # fmt: skip


def _learned(version: ModelVersion) -> Learned:
    run = version.run
    assert run is not None  # noqa: S101 - it was asked for
    read = run.inputs[-1]["train"]["samples"] if run.inputs else version.metrics.get("training_samples")
    return {
        "dataset": run.version.dataset.name, "dataset_version": run.version.number, "samples": read,
        "erased": run.version.erased, "by": _name(version), "run": run.pk,
    }  # fmt: skip


def _judged(version: ModelVersion) -> list[Judged]:
    data = version.dataset_version
    if data is None:
        return []
    read: Mapping[str, Any] = version.lock.get("data", {})
    facts = [(split, read[name]["samples"]) for name, split in SPLITS.items() if name in read]
    if not facts:  # from before locks held it: on test, where there is one
        split = "test" if data.counts["by_split"].get("test") else "val"
        facts = [(split, version.metrics.get("samples"))]
    return [
        {"dataset": data.dataset.name, "dataset_version": data.number, "split": split, "samples": samples}
        for split, samples in facts if samples != 0
    ]  # fmt: skip


def _name(version: ModelVersion) -> str:
    return f"{version.model.name}@{version.number}"
