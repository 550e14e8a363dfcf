"""Queries of the API: pages of a version's samples, facets, histories."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from django.core.cache import cache
from django.db.models import Count, Q
from django.http import QueryDict

from catalog.filtering import predictions
from catalog.filtering.filters import Filter, both
from catalog.filtering.meta_sql import SampleIn
from catalog.filtering.predictions import NOT_ONE_CLASS, Predicted
from catalog.models import Dataset, Revision, RevisionClass, Sample, Version, revision_conditions
from catalog.reading.members import SPLITS, asks_of_predictions, members_of
from catalog.reading.orders import ADDED, Order, ordered
from catalog.versions import tallies
from core.errors import Invalid, NotFound
from core.list_parameters import listed
from core.parameters import probability
from core.references import MAX_ID_DIGITS, as_number
from worker_programs.json_text import read_json

KEPT_SECONDS = 3600
BOOLEANS = {"true": True, "false": False}
MOST_IDS = 1000
MOST_ID = 2**53
PARAMETERS = {"class": "label"}
"""Fields of filters whose query parameter has another name."""
SEVERAL = ("split", "label", "tag", "predicted")
"""Parameters that may be repeated: one of their values must hold."""
FACETS = ("split", "label", "labelled", "predicted", "correct")
"""The fields by which samples are counted."""
BOUNDS = {"confidence_from": ">=", "confidence_to": "<="}
Asked = Mapping[str, str | Sequence[str]]
"""Query parameters by name; repeated ones with all their values."""


def asked(query: QueryDict) -> dict[str, str | Sequence[str]]:
    """Return the query parameters of a URL."""
    return {name: values if name in SEVERAL and len(values) > 1 else values[-1] for name, values in query.lists()}


def chosen_samples(query: Asked, dataset: Dataset) -> Filter:
    """Return the filter of query parameters: all of them must hold; unknown parameters are ignored.

    Raises Invalid naming the parameter.
    """
    one = {name: value for name, value in query.items() if isinstance(value, str)}
    if (labelled := one.get("labelled")) is not None and labelled not in BOOLEANS:
        raise Invalid.field("labelled", "must be true or false")
    told: dict[str, Any] = {name: query[name] for name in ("split", "q", "slice", "tag") if query.get(name)}
    told |= {"class": query["label"]} if "label" in query else {}
    told |= {"labelled": BOOLEANS[labelled]} if labelled is not None else {}
    ids = sample_ids(one.get("ids"))
    parts = _predicted(query, one, dataset)
    for name, value in told.items():
        try:
            parts.append(Filter.of({name: value}, dataset, field=""))
        except Invalid as fault:
            raise Invalid.field(PARAMETERS.get(name, name), fault.detail.partition(": ")[2], code=fault.code) from fault
    if ids is not None:
        parts.append(Filter.of({"samples": list(ids) or [MOST_ID]}, dataset, field="ids"))
    if "filter" in one:
        parts.append(Filter.of(as_filter(one["filter"]), dataset))
    return both(dataset, parts)


def _predicted(query: Asked, one: Mapping[str, str], dataset: Dataset) -> list[Filter]:
    """Return the condition on the predictions of `predicted_by`; empty if only the model is named."""
    told: dict[str, Any] = {"class": query["predicted"]} if query.get("predicted") else {}
    bounds = {operator: probability(name, one[name]) for name, operator in BOUNDS.items() if name in one}
    told |= {"confidence": bounds} if bounds else {}
    if (correct := one.get("correct")) is not None:
        if correct not in BOOLEANS:
            raise Invalid.field("correct", "must be true or false")
        told["correct"] = BOOLEANS[correct]
    if not (model := one.get("predicted_by")):
        if told:
            given = next(name for name in ("predicted", *BOUNDS, "correct") if name in query)
            raise Invalid.field(given, "name the model in `predicted_by` too, like signs@production")
        return []
    try:
        if not told:  # the model is used for counts or an order: check that it fits all the same
            predictions.source("predicted_by").check(Predicted(model, None, ()), dataset, field="predicted_by")
            return []
        return [Filter.of({"prediction": {"model": model} | told}, dataset, field="")]
    except Invalid as fault:
        said = next(iter(fault.errors), "").rpartition(".")[2]
        unfit = "correct" if fault.code == NOT_ONE_CLASS else "predicted_by"
        name = {"class": "predicted"}.get(said, unfit)
        raise Invalid.field(name, fault.detail.partition(": ")[2], code=fault.code) from fault


def beside(query: Asked, dataset: Dataset) -> dict[str, Filter]:
    """Map filtered facets to the filter of all other parameters, to count what another value of the facet would add."""
    rest = {
        facet: {name: value for name, value in query.items() if name != facet} for facet in FACETS if facet in query
    }
    return {facet: chosen_samples(others, dataset) for facet, others in rest.items()}


def as_filter(text: str) -> Any:
    """Parse the query parameter `filter`: the JSON form begins with a brace, anything else is the text form."""
    if not text.lstrip().startswith("{"):
        return text
    try:
        return read_json(text.encode())
    except ValueError as error:
        raise Invalid.field("filter", f"can't be read as JSON: {error}", code="filter_malformed") from error


def sample_ids(text: str | None) -> tuple[int, ...] | None:
    """Parse the query parameter `ids`. Raises Invalid."""
    if text is None:
        return None
    words = [word for word in text.split(",") if word]
    numbers = [as_number(word, digits=MAX_ID_DIGITS) for word in words]
    if len(words) > MOST_IDS or None in numbers:
        raise Invalid.field("ids", f"must be at most {MOST_IDS} sample ids with commas between them, like 3,5")
    return tuple(number for number in numbers if number)


def total(version: Version, chosen: Filter) -> int:
    """Count the samples of the version that pass."""
    if asks_of_predictions(chosen):
        return len(members_of(version).chosen(version, chosen))
    cells = chosen.cells
    if cells is not None:
        return sum(tallies.count(version, cells).values())
    count, place = chosen.apply(version.revisions).count, chosen.place(version)
    kept: int | None = cache.get_or_set(f"total:{place}", count, KEPT_SECONDS) if place else None
    return count() if kept is None else kept


BY_ADDED = Order()


def window(
    version: Version, chosen: Filter, *, offset: int, limit: int, after: int | None = None, order: Order = BY_ADDED
) -> list[Revision]:
    """Return up to `limit` revisions in an order, from `offset`, or those after the sample id `after`."""
    if order.by != ADDED or (after is None and asks_of_predictions(chosen)):
        ids = ordered(version, chosen, order)[offset : offset + limit].tolist()
        rows = version.revisions.filter(sample__in=listed(ids))
        known = {row.sample_id: row for row in rows.select_related("sample", "blob", "original", "label")}
        return [known[sample] for sample in ids if sample in known]
    found = _places(version, chosen, offset=offset, limit=limit, after=after)
    full = Revision.objects.filter(pk__in=[pk for _, pk in found]).select_related("sample", "blob", "original", "label")
    return list(full.order_by("sample_id"))


def keys(
    version: Version, chosen: Filter, *, offset: int, limit: int, order: Order = BY_ADDED
) -> list[tuple[int, str]]:
    """Return (id, key) of up to `limit` samples in an order, from `offset`."""
    if order.by == ADDED and not asks_of_predictions(chosen):
        found = [sample for sample, _ in _places(version, chosen, offset=offset, limit=limit, after=None)]
    else:
        found = ordered(version, chosen, order)[offset : offset + limit].tolist()
    named = dict(Sample.objects.filter(pk__in=listed(found)).values_list("pk", "key"))
    return [(sample, named[sample]) for sample in found if sample in named]


def _places(version: Version, chosen: Filter, *, offset: int, limit: int, after: int | None) -> list[tuple[int, int]]:
    """Return (sample id, revision id) of up to `limit` samples by id, from `offset`, or after the sample id `after`."""
    cells = chosen.cells
    if offset >= tallies.BUCKET and after is None and cells is not None:
        after, offset = tallies.place(version, cells, offset)
    # First the ids from the index alone, then the rows: skipping an offset then joins nothing. A fork and each of
    # its ancestors is read by itself, in the order of its own index.
    found: list[tuple[int, int]] = []
    for condition in revision_conditions(version.path):
        rows = chosen.apply(Revision.objects.filter(condition)).order_by(chosen.order)
        if after is not None:
            rows = rows.filter(**{f"{chosen.order}__gt": after})
        found += rows.values_list("sample_id", "pk")[: offset + limit] if version.dataset.ancestry else (
            rows.values_list("sample_id", "pk")[offset : offset + limit]
        )  # fmt: skip
    return sorted(found)[offset : offset + limit] if version.dataset.ancestry else found


def facets(
    version: Version, chosen: Filter, others: Mapping[str, Filter] | None = None, model: str | None = None
) -> dict[str, Any]:
    """Count the samples that pass: `{total, split: {..}, label: {..}, labelled: {"true", "false"}}`, and for the
    predictions of a model ("name@alias") `{scored, predicted: {..}, correct: {"true", "false"}}`, each None without a
    model. A facet in `others` (see `beside`) counts the samples that pass its own filter."""
    others = others or {}
    splits, labelled = (_tables(version, others.get(name, chosen)) for name in ("split", "labelled"))
    told = sum(n for (_, with_label), n in labelled.items() if with_label)
    by_split = Counter[str]()
    for (split, _), n in splits.items():
        by_split[split] += n
    counted = labelled if "labelled" not in others else splits if "split" not in others else None
    return {
        "total": total(version, chosen) if counted is None else sum(counted.values()),
        "split": {name: n for name, n in by_split.items() if n},
        "label": {name: n for name, n in _class_counts(version, others.get("label", chosen)).items() if n},
        "labelled": {"true": told, "false": sum(labelled.values()) - told},
        **_said(version, chosen, others, model),
    }


def _said(version: Version, chosen: Filter, others: Mapping[str, Filter], model: str | None) -> dict[str, Any]:
    """Return the facets of predictions."""
    if not model:
        return {"scored": None, "predicted": None, "correct": None}
    members, source = members_of(version), predictions.source("predicted_by")

    def counts(passing: Filter) -> predictions.Counts:
        rows = members.chosen(version, passing)
        return source.counts(model, members.md5[rows], members.labels[rows])

    whole = counts(chosen)
    right = counts(others["correct"]) if "correct" in others else whole
    classes = counts(others["predicted"]).classes if "predicted" in others else whole.classes
    told = None if right.right is None else {"true": right.right, "false": right.wrong}
    return {"scored": whole.scored, "predicted": dict(classes), "correct": told}


def _tables(version: Version, chosen: Filter) -> Counter[tuple[str, bool]]:
    """Count samples by split and whether they are labelled."""
    found = Counter[tuple[str, bool]]()
    if asks_of_predictions(chosen):
        members = members_of(version)
        rows = members.chosen(version, chosen)
        cells = np.bincount(
            2 * members.splits[rows].astype(np.intp) + members.labelled[rows], minlength=2 * len(SPLITS)
        )
        return Counter({(SPLITS[cell // 2], bool(cell % 2)): n for cell, n in enumerate(cells.tolist())})
    for split, labelled, n in _split_counts(version, chosen, chosen.cells):
        found[split, labelled] += n
    return found


def _split_counts(version: Version, chosen: Filter, cells: dict[str, object] | None) -> Iterator[tuple[str, bool, int]]:
    if cells is not None:
        for (split, labelled), n in tallies.count(version, cells, "split", "labelled").items():
            yield str(split), bool(labelled), n
        return
    told = Count("pk", filter=Q(label__isnull=False))
    rows = chosen.apply(version.revisions).order_by().values_list("split")
    for split, n, with_label in rows.annotate(n=Count("pk"), told=told):
        yield split, True, with_label
        yield split, False, n - with_label


def _class_counts(version: Version, chosen: Filter) -> dict[str, int]:
    """Count samples by the classes that their labels name: from the tallies, or from the rows if the filter has a
    class or a condition that the tallies can't tell."""
    cells = chosen.cells
    if cells is not None and not cells["class_name"]:
        others = {name: value for name, value in cells.items() if name != "class_name"}
        mentions = tallies.count(version, others, "class_name")
        return {str(name): n for (name,), n in mentions.items() if name}
    if asks_of_predictions(chosen):
        members = members_of(version)
        places = members.chosen(version, chosen)
        if not chosen.ground.several:
            labels = members.labels[places]
            numbers = np.bincount(labels[labels >= 0], minlength=len(members.classes)).tolist()
            return dict(zip(members.classes, numbers, strict=True))
        rows = version.revisions.filter(SampleIn(members.samples[places].tolist())).order_by()
    else:
        rows = chosen.apply(version.revisions).order_by()
    if not chosen.ground.several:
        return dict(rows.exclude(class_name="").values_list("class_name").annotate(n=Count("pk")))
    named = RevisionClass.objects.filter(revision__in=rows.values("pk")).order_by()
    return dict(named.values_list("class_name").annotate(n=Count("pk")))


def find_revision(version: Version, key: str) -> Revision:
    """Return the revision of a sample in a version. Raises NotFound."""
    # First find the sample by the index of keys: joined, a database without statistics reads the whole version.
    dataset_ids = [dataset for dataset, _ in version.path]
    named = list(Sample.objects.filter(dataset__in=dataset_ids, key=key).values_list("pk", flat=True))
    rows = version.revisions.filter(sample__in=named).select_related("sample", "blob", "original", "label")
    if (found := rows.first()) is None:
        raise NotFound(f"There is no sample {key!r} in {version}.", code="sample_unknown")
    return found


def find_sample(dataset: Dataset, key: str) -> Sample:
    """Return a sample that is or was in the dataset, or in one it was forked from. Raises NotFound."""
    nearest = [dataset.pk, *(ancestor for ancestor, _ in dataset.ancestry)]
    rows = Sample.objects.filter(dataset__in=nearest, key=key)
    found = min(rows, key=lambda row: nearest.index(row.dataset_id), default=None)
    if found is None or not Revision.objects.ever(dataset).filter(sample=found).exists():
        raise NotFound(f"There is no sample {key!r} in dataset {dataset.name!r}.", code="sample_unknown")
    return found


def history(dataset: Dataset, sample: Sample) -> list[tuple[Revision, Version]]:
    """Return the revisions of a sample, oldest first, each with its version; a fork's begin in its origin."""
    rows = list(Revision.objects.ever(dataset).filter(sample=sample).select_related("blob", "label"))
    wanted = Q(pk=None)
    for row in rows:
        wanted |= Q(dataset=row.dataset_id, number=row.since)
    made = {
        (one.dataset_id, one.number): one for one in Version.objects.filter(wanted).select_related("author", "dataset")
    }
    return [(row, made[row.dataset_id, row.since]) for row in rows]
