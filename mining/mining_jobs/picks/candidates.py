"""Which samples a mining job picks from, which it compares them with, and which it has to score for that."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from django.db.models import Q

from acquisition import Composition, Strategy
from catalog.filtering.documents import write_document
from catalog.filtering.expressions import Compare, Expression, Prediction, mapped
from catalog.filtering.filters import Filter
from catalog.models import RevisionQuerySet, Split, Version
from catalog.reading.labelled_bytes import of_labelled_bytes, without_labelled_bytes
from catalog.splits.barring import barred, barring, trainable
from core.errors import Invalid
from core.list_parameters import listed
from registry.services import resolve


def pool_of(version: Version, chosen: Mapping[str, Any] | None, *, labelled: bool = False) -> RevisionQuerySet:
    """Return the unlabelled pool of a version without near-duplicates of test samples and copies of labelled samples,
    or the part of it that passes a filter; with `labelled` the labelled training samples instead, whose labels may be
    wrong."""
    if labelled:
        return _passing(labelled_of(version), version, chosen)
    return without_labelled_bytes(_unlabelled(version, chosen), version)


def barred_of(version: Version, chosen: Mapping[str, Any] | None, *, labelled: bool = False) -> RevisionQuerySet:
    """Return the samples left out of that pool: near-duplicates of test samples, which would never be trained on."""
    if labelled:
        return version.revisions.none()
    return _passing(barred(version).filter(label=None), version, chosen)


def answered_of(version: Version, chosen: Mapping[str, Any] | None, *, labelled: bool = False) -> RevisionQuerySet:
    """Return the samples left out of that pool because a labelled sample has their bytes."""
    if labelled:
        return version.revisions.none()
    return of_labelled_bytes(_unlabelled(version, chosen), version)


def _unlabelled(version: Version, chosen: Mapping[str, Any] | None) -> RevisionQuerySet:
    return trainable(_passing(version.revisions.filter(split=Split.POOL, label=None), version, chosen), version)


def _passing(rows: RevisionQuerySet, version: Version, chosen: Mapping[str, Any] | None) -> RevisionQuerySet:
    return Filter.of(chosen, version.dataset).apply(rows) if chosen else rows


def labelled_of(version: Version) -> RevisionQuerySet:
    """Return the labelled training samples of a version."""
    return version.revisions.filter(split=Split.TRAIN).exclude(label=None)


def evidence_split(chosen: Strategy, version: Version) -> Split | None:
    """Return the split whose labels measure how often the model is right, for a strategy that needs it: the validation
    split, which the model was not trained on, or train where validation has no labels. None for a strategy that does
    not need it. Raises Invalid (version) where neither has labels."""
    if "evidence" not in chosen.needs:
        return None
    for split in (Split.VAL, Split.TRAIN):
        if version.revisions.filter(split=split).exclude(label=None).exists():
            return split
    words = f"strategy {chosen.name!r} is fitted on labelled images, and {version} has none in val or train: label some"
    raise Invalid.field("version", words, code="nothing_labelled")


def to_score(
    version: Version,
    chosen: Mapping[str, Any] | None,
    *,
    labelled: bool = False,
    similar: Iterable[Mapping[str, Any]] = (),
    evidence: Split | None = None,
) -> RevisionQuerySet:
    """Return the samples that a mining job scores: the pool unless it mines `labelled` samples, the training samples
    that picks are compared with, the samples of `similar` (see `similar_to`), and the labelled samples of the split
    `evidence`."""
    wanted = Q(split=Split.TRAIN) | Q(split=evidence or "", label__isnull=False)
    if not labelled:
        whole = not chosen and not barring(version).exists()
        wanted |= Q(split=Split.POOL) if whole else Q(pk__in=pool_of(version, chosen).values("pk"))
    for document in similar:
        wanted |= Q(sample__in=document["samples"]) | Q(split=document.get("failures") or "")
    return version.revisions.filter(wanted)


def looks_at_labelled(chosen: Strategy) -> bool:
    """Whether the strategy mines samples that have labels already."""
    return "labels" in chosen.needs


def needs_scores(chosen: Strategy, made: Composition, committee: Mapping[str, Any] | None) -> bool:
    """Whether the selection needs scores: anything beyond the ids of the samples and their metadata."""
    return committee is not None or bool((set(chosen.needs) | made.needs) - {"sources", "groups"})


def pinned(document: Any, version: Version, *, field: str = "filter") -> dict[str, Any]:
    """Return a filter with its slices and aliases resolved: a slice may be replaced and an alias may move while a job
    runs. Raises Invalid."""
    found = Filter.of(document, version.dataset, field=field)

    def fixed(term: Compare | Prediction) -> Expression:
        if isinstance(term, Compare):
            return term
        model = resolve(term.model, field=f"{field}.prediction.model")
        return replace(term, model=f"{model.model.name}@{model.number}")

    return write_document(mapped(found.expression, fixed))


def check_metadata(version: Version, made: Composition) -> None:
    """Raise Invalid naming the field whose metadata key is invalid, or which no sample has."""
    named = {"compose.source": made.source}
    if made.gap is not None:
        named |= {"compose.gap.group": made.gap.group, "compose.gap.time": made.gap.time}
    if made.cost is not None:
        named["compose.cost.meta"] = made.cost.meta
    for field, key in named.items():
        if key is None:
            continue
        try:
            has = Filter.of({"meta": {key: {"exists": True}}}, version.dataset)
        except Invalid as error:
            raise Invalid.field(field, error.detail.partition(": ")[2]) from error
        if not has.apply(version.revisions).exists():
            raise Invalid.field(field, f"no sample of {version} has metadata {key!r}")


def similar_to(version: Version, document: Mapping[str, Any] | None, *, field: str) -> dict[str, Any] | None:
    """Return the examples of `like` or `unlike` as they are stored: `{samples: [id], failures?: split}`. Raises
    Invalid."""
    if document is None:
        return None
    keys = list(dict.fromkeys(document.get("keys", [])))
    known = dict(version.revisions.filter(sample__key__in=listed(keys)).values_list("sample__key", "sample_id"))
    if absent := [key for key in keys if key not in known]:
        raise Invalid.field(f"{field}.keys", f"{version} has no sample {absent[0]!r}")
    failures = document.get("failures")
    if failures and not version.revisions.filter(split=failures).exclude(label=None).exists():
        raise Invalid.field(f"{field}.failures", f"{version} has no labelled sample in split {failures}")
    if not keys and not failures:
        raise Invalid.field(field, "name keys of samples, or the split whose failures are meant")
    return {"samples": [known[key] for key in keys]} | ({"failures": failures} if "failures" in document else {})


def similar_document(kept: Mapping[str, Any] | None, keys: Mapping[int, str]) -> dict[str, Any] | None:
    """Return the examples as the request had them, from what `similar_to` stored; samples that were erased since are
    left out."""
    if kept is None:
        return None
    named = [keys[pk] for pk in kept["samples"] if pk in keys]
    return {"keys": named} | ({"failures": kept["failures"]} if "failures" in kept else {})
