"""Which models learned from a sample, through parents and members to any depth; which were judged or proved on it."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, NotRequired, TypedDict

from django.db.models import Q

from blobs.services import chunks
from catalog.erasure import containment
from catalog.erasure.containment import Contained
from catalog.models import Split, Version
from jobs.models import Job
from registry.ancestry import Edge, How, closure, edges_below
from registry.models import Alias, Artifact, ModelVersion, Promotion, Run

Relation = Literal["learned", "judged", "proved"]
"""`learned`: its weights were made from the sample. `judged`: it was evaluated, calibrated or its best checkpoint
chosen by it. `proved`: its file was checked on it, and its int8 ranges chosen, as that of a version without a run is on
the images of train."""
Action = Literal["replace", "retire", "none"]
"""`replace`: an alias points to it. `retire`: none does. `none`: its files are deleted already."""


class Step(TypedDict):
    """A parent through which a version learned from the sample. Without names where the caller may not see it."""

    model: str | None
    version: int | None
    how: How
    project: NotRequired[int]


class ModelRow(TypedDict):
    """A version, as it is recorded. `dataset`, `dataset_version` and `split`: what its own run, or its evaluation, read
    the sample in; None where it learned only `through` others."""

    id: int
    project: int
    model: str
    version: int
    digest: str
    relation: Relation
    dataset: str | None
    dataset_version: int | None
    split: str | None
    run: int | None
    through: list[Step]


class RunRow(TypedDict):
    """A run without a version. `began`: it has read the sample; else it will read its dataset version as it is then."""

    id: int
    project: int
    model: str
    state: str
    relation: Relation
    dataset: str
    dataset_version: int
    split: str | None
    began: bool
    through: list[Step]


def models_of(found: Contained) -> Iterator[Mapping[str, Any]]:
    """Yield the versions that learned from one of the samples, and those that were judged or proved on one."""
    direct = {row.pk: split for split, row in _trained(found)}
    edges = edges_below(direct)
    rows = _versions(closure(edges, direct))
    for pk in sorted(rows):
        yield _row(rows[pk], "learned", direct.get(pk), _steps(pk, edges, rows))
    for split, row in _judged(found):
        yield _row(row, "judged", split, [])
    for split, row in _proved(found):
        yield _row(row, "proved", split, [])


def runs_of(found: Contained) -> Iterator[Mapping[str, Any]]:
    """Yield the runs without a version yet that read one of the samples, or start from a version that learned from it:
    those that go on, are resumed or registered make a version of what they learned."""
    direct = [row.pk for _, row in _trained(found)]
    edges = edges_below(direct)
    learned = closure(edges, direct)
    rows = _versions(learned)
    splits = {split: set(found.labelled.get(split, ())) for split in (Split.TRAIN, Split.VAL, Split.TEST)}
    parents = Q(parent__in=learned) if learned else Q(pk__in=[])
    unfinished = Run.objects.filter(model_version=None).select_related("model", "job", "version__dataset")
    seen: dict[int, Run] = {}
    for part in _chunks(splits):
        seen |= {run.pk: run for run in unfinished.filter(Q(version__in=part))}
    seen |= {run.pk: run for run in unfinished.filter(parents)}
    for pk in sorted(seen):
        run = seen[pk]
        split = next((split for split, versions in splits.items() if run.version_id in versions), None)
        through = [_step(rows[run.parent_id], "started from")] if run.parent_id in rows else []
        relation: Relation = "learned" if through or split == Split.TRAIN else "judged"
        yield _run_row(run, relation, split, through)


def bring_up_to_date(reports: Sequence[dict[str, Any]]) -> None:
    """Bring recorded reports up to date: add versions that were made since from what is recorded (`since`), and what is
    to be done about each that learned. Versions recorded before this was done stay as they are."""
    roots = [_roots(report) for report in reports]
    _follow_runs(reports, roots)
    everything: set[int] = set().union(*roots) if roots else set()
    edges = edges_below(everything)
    rows = _versions(closure(edges, everything))
    for report, start in zip(reports, roots, strict=True):
        reached = closure(edges, start)
        known = {row["id"] for row in report.get("models", []) if row.get("relation") == "learned"}
        report.setdefault("models", []).extend(
            dict(_row(rows[pk], "learned", None, _steps(pk, edges, rows, within=reached))) | {"since": True}
            for pk in sorted(reached - known) if pk in rows
        )  # fmt: skip
    _decide([row for report in reports for row in report["models"] if "relation" in row])


def _roots(report: Mapping[str, Any]) -> set[int]:
    return {row["id"] for row in report.get("models", []) if row.get("relation") == "learned"}


def _follow_runs(reports: Sequence[dict[str, Any]], roots: Sequence[set[int]]) -> None:
    """Show recorded runs in the state they are in now. One that has made a version since is a root, if its training
    had read the sample, and is no longer among the runs."""
    ids = {row["id"] for report in reports for row in report.get("runs", []) if "began" in row}
    runs = {run.pk: run for run in Run.objects.filter(pk__in=ids).select_related("job")} if ids else {}
    made = dict(ModelVersion.objects.filter(run__in=ids).values_list("run", "pk")) if ids else {}
    for report, start in zip(reports, roots, strict=True):
        left = []
        for row in report.get("runs", []):
            run = runs.get(row["id"])
            if "began" in row and run is not None:
                row["state"] = run.job.state
                row["began"] = row["began"] and not _begun_again(run, report.get("at"))
                if row["id"] in made:
                    if row["relation"] == "learned" and (row["began"] or row["through"]):
                        start.add(made[row["id"]])
                    continue
            left.append(row)
        report["runs"] = left


def _begun_again(run: Run, at: str | None) -> bool:
    """Whether a training began anew after the time `at`, not from a snapshot that had learned from the sample."""
    if at is None or not run.inputs:
        return False
    first = run.inputs[0]
    return bool(first["at"] > at and not first.get("resumed"))


def _decide(rows: Sequence[dict[str, Any]]) -> None:
    """Add to each row its aliases, those it had, whether its files are there, and what is to be done about it: replace
    what an alias points to, by the newest version of the model that did not learn from the sample, if there is one."""
    ids = {row["id"] for row in rows}
    aliases, former = _aliases(ids)
    there = set(Artifact.objects.filter(version__in=ids, path="model.onnx").values_list("version", flat=True))
    learned = {row["id"] for row in rows if row["relation"] == "learned"}
    clean = _newest_but(learned)
    for row in rows:
        pk = row["id"]
        row |= {
            "aliases": aliases.get(pk, []),
            "former_aliases": sorted(former.get(pk, set()) - set(aliases.get(pk, []))),
        }
        row |= {"deleted": pk not in there, "since": row.get("since", False)}
        row["clean"] = clean.get(pk) if pk in learned and row["relation"] == "learned" else None
        if row["relation"] != "learned" or row["deleted"]:
            row["action"] = "none"
        else:
            row["action"] = "replace" if row["aliases"] else "retire"


def _aliases(ids: Collection[int]) -> tuple[dict[int, list[str]], dict[int, set[str]]]:
    now: dict[int, list[str]] = defaultdict(list)
    for version, name in Alias.objects.filter(version__in=ids).order_by("name").values_list("version", "name"):
        now[version].append(name)
    ever: dict[int, set[str]] = defaultdict(set)
    for version, name in Promotion.objects.filter(version__in=ids).values_list("version", "alias"):
        ever[version].add(name)
    return now, ever


def _newest_but(learned: Collection[int]) -> dict[int, int]:
    """Map versions to the number of the newest version of the same model that is not among them; without those that
    have none."""
    models = ModelVersion.objects.filter(pk__in=learned).values("model")
    newest: dict[int, int] = {}
    of: dict[int, int] = {}
    for pk, model, number in ModelVersion.objects.filter(model__in=models).values_list("pk", "model", "number"):
        of[pk] = model
        if pk not in learned:
            newest[model] = max(number, newest.get(model, 0))
    return {pk: newest[of[pk]] for pk in learned if of.get(pk) in newest}


def _trained(found: Contained) -> Iterator[tuple[str, ModelVersion]]:
    """Yield the versions whose run read a sample in train, where it was labelled: others are not trained on."""
    for versions in chunks(found.labelled.get(Split.TRAIN, ())):
        for row in ModelVersion.objects.filter(run__version__in=versions).order_by("pk"):
            yield Split.TRAIN, row


def _judged(found: Contained) -> Iterator[tuple[str, ModelVersion]]:
    """Yield the versions that were evaluated, or calibrated, on a sample."""
    for split in (Split.VAL, Split.TEST):
        for versions in chunks(found.labelled.get(split, ())):
            for row in _with_names().filter(dataset_version__in=versions).order_by("pk"):
                yield split, row


def _proved(found: Contained) -> Iterator[tuple[str, ModelVersion]]:
    """Yield the versions without a run whose file was proved on a sample: on those in train, or on all where there is
    none in train (`upload_phase`)."""
    trained = set(found.in_split.get(Split.TRAIN, ()))
    splits = {pk: split for split in (Split.TEST, Split.VAL, Split.POOL, Split.TRAIN)
              for pk in found.in_split.get(split, ())}  # fmt: skip
    for versions in chunks(found.versions):
        for row in _with_names().filter(run=None, dataset_version__in=versions).order_by("pk"):
            data = row.dataset_version
            assert data is not None  # noqa: S101 - it was asked for
            if data.pk in trained or not data.counts["by_split"].get(Split.TRAIN):
                yield splits[data.pk], row


def _with_names() -> Any:
    return ModelVersion.objects.select_related("model", "run", "dataset_version__dataset").defer(
        "metrics", "report", "lock"
    )


def _versions(ids: Collection[int]) -> dict[int, ModelVersion]:
    return {row.pk: row for row in _with_names().filter(pk__in=ids)} if ids else {}


def _chunks(splits: Mapping[Split, Collection[int]]) -> Iterator[list[int]]:
    return chunks(sorted({pk for versions in splits.values() for pk in versions}))


def _steps(
    pk: int, edges: Iterable[Edge], rows: Mapping[int, ModelVersion], *, within: Collection[int] | None = None
) -> list[Step]:
    """Return the parents of a version among those that learned from the sample too."""
    return [
        _step(rows[edge.parent], edge.how) for edge in edges
        if edge.child == pk and edge.parent in rows and (within is None or edge.parent in within)
    ]  # fmt: skip


def _step(version: ModelVersion, how: How) -> Step:
    return {"model": version.model.name, "version": version.number, "how": how, "project": version.model.project_id}


def _row(version: ModelVersion, relation: Relation, split: str | None, through: list[Step]) -> ModelRow:
    data: Version | None = version.dataset_version if split is not None else None
    return {
        "id": version.pk, "project": version.model.project_id, "model": version.model.name, "version": version.number,
        "digest": version.digest, "relation": relation, "dataset": data.dataset.name if data else None,
        "dataset_version": data.number if data else None, "split": split, "run": version.run_id, "through": through,
    }  # fmt: skip


def _run_row(run: Run, relation: Relation, split: str | None, through: list[Step]) -> RunRow:
    return {
        "id": run.pk, "project": run.model.project_id, "model": run.model.name, "state": run.job.state,
        "relation": relation, "dataset": run.version.dataset.name, "dataset_version": run.version.number,
        "split": split, "began": bool(run.inputs) or run.job.state != Job.State.QUEUED, "through": through,
    }  # fmt: skip


containment.register("models", models_of)
containment.register("runs", runs_of)
containment.register_presenter(bring_up_to_date)
