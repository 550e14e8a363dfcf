"""Searches: what of MLflow's filters and orders the rows answer. What they don't is refused by its name."""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from django.db.models import Model as Row
from django.db.models import QuerySet

from accounts.rights import visible
from core.errors import Invalid
from core.references import MAX_ID_DIGITS, as_number
from mlflow_api import facts
from mlflow_api.documents import MODEL_ROWS, STATUS, VERSION_ROWS, VERSION_SETS
from mlflow_api.filters import NUMERIC, Comparison, Order, read_filter, read_order, unknown
from mlflow_api.pages import Keys, columns, page, slice_of
from registry.models import Model, ModelVersion, Run

MOST_RUNS = 1000
"""The most runs whose metrics, params or tags are compared by one search."""
IN = ("=", "!=", "IN", "NOT IN")
LOOKUPS = {"=": "exact", "!=": "exact", "<": "lt", "<=": "lte", ">": "gt", ">=": "gte"}
VERSION_TAGS = {
    "dataset": "run__dataset__name",
    "architecture": "architecture",
    "task": "model__task",
    "sha256": "digest",
}
RUN_ROWS = ("model", "dataset", "version", "parent__model", "job", "created_by")
MODEL_ORDERS = {"name": "name", "creation_timestamp": "pk"}
EXPERIMENT_ORDERS = {"name": "name", "creation_time": "pk", "experiment_id": "pk"}
VERSION_ORDERS = {"name": "model__name", "version_number": "number", "creation_timestamp": "pk"}
RUN_ORDERS = {"start_time": "pk", "created": "pk", "run_id": "pk"}
MODELS_BY_NAME: Keys = [("name", False), ("pk", True)]
NEWEST: Keys = [("pk", True)]


def find_models(
    asked: Mapping[str, Any], *, orders: Mapping[str, str], usual: Keys, at: str
) -> tuple[list[Model], str]:
    """One page of the models that the caller may see, and the token of the next. `asked` is a search for registered
    models or for experiments; its `view_type` says whether archived ones count."""
    comparisons = read_filter(asked["filter"])
    rows = visible(Model.objects.select_related(*MODEL_ROWS), "project")
    view = asked.get("view_type", "ACTIVE_ONLY")
    if view != "ALL":
        rows = rows.filter(archived__isnull=view == "ACTIVE_ONLY")
    for one in comparisons:
        if one.kind not in {"attribute", "tag"} or (one.kind == "attribute" and one.key != "name"):
            raise unknown("filter", one, ("name", "tags.task", "tags.project"))
    if comparisons:
        rows = rows.filter(pk__in=[model.pk for model in rows if _all_hold(comparisons, _of_model(model))])
    keys = columns(read_order(asked["order_by"]), orders, usual)
    return page(rows, keys, token=asked["page_token"], limit=asked["max_results"], search=_name(at, asked),
                values=lambda model: [getattr(model, name) for name, _ in keys])  # fmt: skip


def _of_model(model: Model) -> Callable[[Comparison], str | None]:
    tags = facts.model_tags(model) | {facts.IS_PROMPT: "false"}
    return lambda one: model.name if one.kind == "attribute" else tags.get(one.key)


def find_versions(asked: Mapping[str, Any], *, at: str) -> tuple[list[ModelVersion], str]:
    """One page of the versions that the caller may see, and the token of the next."""
    rows = visible(ModelVersion.objects.select_related(*VERSION_ROWS), "model__project").prefetch_related(*VERSION_SETS)
    rows = rows.filter(model__deleted=None, model__archived=None)
    for one in read_filter(asked["filter"]):
        rows = _versions_that(rows, one)
    keys = columns(read_order(asked["order_by"]), VERSION_ORDERS, NEWEST)
    return page(rows, keys, token=asked["page_token"], limit=asked["max_results"], search=_name(at, asked),
                values=lambda row: [_value(row, name) for name, _ in keys])  # fmt: skip


def _versions_that(rows: QuerySet[ModelVersion], one: Comparison) -> QuerySet[ModelVersion]:
    """The versions for which a comparison holds."""
    if (one.kind, one.key) == ("attribute", "name"):
        names = visible(Model.objects.all(), "project").values_list("name", flat=True)
        return rows.filter(model__name__in=[name for name in names if one.holds(name)])
    if (one.kind, one.key) == ("attribute", "run_id"):
        return _among(rows, one, "run", _ids(one))
    if (one.kind, one.key) == ("attribute", "version_number"):
        return _compared(rows, one, "number", min(one.number(), 2.0**31))
    if one.kind == "tag" and one.key == facts.IS_PROMPT:
        return rows if one.holds("false") else rows.none()
    if one.kind == "tag" and one.key in VERSION_TAGS:
        return _among(rows, one, VERSION_TAGS[one.key], one.texts())
    raise unknown("filter", one, ("name", "run_id", "version_number", *(f"tags.{name}" for name in VERSION_TAGS)))


def find_runs(models: Sequence[int], asked: Mapping[str, Any], *, at: str) -> tuple[list[Run], str]:
    """One page of the runs of these models, and the token of the next. Metrics, params and tags are compared in memory,
    of MOST_RUNS runs at most. Raises Invalid (`filter`, `order_by`) if there are more to compare."""
    rows = visible(Run.objects.select_related(*RUN_ROWS), "model__project").filter(model__in=models)
    if asked["run_view_type"] == "DELETED_ONLY":
        rows = rows.none()
    compared = []
    for one in read_filter(asked["filter"]):
        if (narrowed := _runs_that(rows, one)) is None:
            compared.append(one)
        else:
            rows = narrowed
    orders = read_order(asked["order_by"])
    search = f"{_name(at, asked)} {models}"
    paging = {"token": asked["page_token"], "limit": asked["max_results"], "search": search}
    if not compared and all(one.kind == "attribute" for one in orders):
        keys = columns(orders, RUN_ORDERS, NEWEST)
        return page(rows, keys, values=lambda run: [run.pk for _ in keys], **paging)
    return slice_of(_in_memory(rows, compared, orders), name=lambda run: run.pk, **paging)


def _runs_that(rows: QuerySet[Run], one: Comparison) -> QuerySet[Run] | None:
    """The runs for which a comparison of an attribute holds; None for one that is made in memory."""
    if one.kind != "attribute" or one.key in {"run_name", "Run name", "user_id"}:
        return None
    if one.key == "run_id":
        return _among(rows, one, "pk", _ids(one))
    if one.key == "status":
        one.allow(*IN)
        states = {status: state.value for state, status in STATUS.items()}
        if wrong := [text for text in one.texts() if text.upper() not in states]:
            raise Invalid.field("filter", f"status: there is no {wrong[0]!r}: use one of {', '.join(states)}")
        return _among(rows, one, "job__state", [states[text.upper()] for text in one.texts()])
    if one.key in {"start_time", "created"}:
        try:
            moment = datetime.fromtimestamp(one.number() / 1000, tz=UTC)
        except (OverflowError, ValueError, OSError) as error:
            raise Invalid.field("filter", f"{one}: must be milliseconds since 1970") from error
        return _compared(rows, one, "created", moment)
    known = ("status", "run_id", "run_name", "start_time", "user_id", "metrics.NAME", "params.NAME", "tags.NAME")
    raise unknown("filter", one, known)


def _in_memory(rows: QuerySet[Run], compared: Sequence[Comparison], orders: Sequence[Order]) -> list[Run]:
    for one in orders:
        if one.kind == "attribute" and one.key not in RUN_ORDERS:
            raise unknown("order_by", one, (*RUN_ORDERS, "metrics.NAME", "params.NAME", "tags.NAME"))
    runs = list(rows.order_by("-pk")[: MOST_RUNS + 1])
    if len(runs) > MOST_RUNS:
        field = "filter" if compared else "order_by"
        words = f"more than {MOST_RUNS} runs would have to be looked at: name fewer experiments, or a status"
        raise Invalid.field(field, f"metrics, params and tags: {words}")
    asked_for = {(one.kind, one.key) for one in compared} | {(one.kind, one.key) for one in orders}
    told = _told(runs, asked_for)
    found = [run for run in runs if _all_hold(compared, _of_run(run, told[run.pk]))]
    for one in reversed(orders):
        found = _ordered(found, one, told)
    return found


Facts = dict[tuple[str, str], Any]


def _told(runs: Sequence[Run], asked_for: set[tuple[str, str]]) -> dict[int, Facts]:
    """By run: its metrics, params and tags, as far as they are asked for."""
    kinds = {kind for kind, _ in asked_for}
    made = facts.made_by(runs)
    told: dict[int, Facts] = {run.pk: {} for run in runs}
    if "param" in kinds:
        for pk, params in facts.params_of(runs).items():
            told[pk] |= {("param", name): value for name, value in params.items()}
    if "metric" in kinds:
        curves = any(kind == "metric" and not key.startswith(facts.EVALUATED) for kind, key in asked_for)
        for pk, points in facts.last_points(runs, made, curves=curves).items():
            told[pk] |= {("metric", point["key"]): point["value"] for point in points}
    for run in runs:
        told[run.pk] |= {("tag", name): value for name, value in facts.run_tags(run, made.get(run.pk)).items()}
    return told


def _of_run(run: Run, told: Facts) -> Callable[[Comparison], Any]:
    own = {"run_name": facts.run_name(run), "Run name": facts.run_name(run), "user_id": run.created_by.username}
    return lambda one: own[one.key] if one.kind == "attribute" else told.get((one.kind, one.key))


def _ordered(runs: Sequence[Run], one: Order, told: Mapping[int, Facts]) -> list[Run]:
    """The runs by one key, those without a value last; equal ones stay as they were."""

    def value(run: Run) -> Any:
        return run.pk if one.kind == "attribute" else told[run.pk].get((one.kind, one.key))

    known = [run for run in runs if value(run) is not None]
    return [*sorted(known, key=value, reverse=one.descending), *(run for run in runs if value(run) is None)]


def _all_hold(comparisons: Sequence[Comparison], value: Callable[[Comparison], Any]) -> bool:
    return all(one.holds(value(one)) for one in comparisons)


def _ids(one: Comparison) -> list[int]:
    """The ids that a comparison names; texts that are none name nothing."""
    one.allow(*IN)
    numbers = [as_number(text, digits=MAX_ID_DIGITS) for text in one.texts()]
    return [number for number in numbers if number is not None]


def _among(rows: QuerySet[Any], one: Comparison, column: str, values: Sequence[Any]) -> QuerySet[Any]:
    one.allow(*IN)
    among = {f"{column}__in": list(values)}
    if one.op in {"=", "IN"}:
        return rows.filter(**among)
    return rows.filter(**{f"{column}__isnull": False}).exclude(**among)


def _compared(rows: QuerySet[Any], one: Comparison, column: str, value: Any) -> QuerySet[Any]:
    one.allow(*NUMERIC)
    found = {f"{column}__{LOOKUPS[one.op]}": value}
    return rows.exclude(**found) if one.op == "!=" else rows.filter(**found)


def _value(row: Row, column: str) -> Any:
    """The value of a row in a column, which may be that of a related row."""
    value: Any = row
    for name in column.split("__"):
        value = getattr(value, name)
    return value


def _name(at: str, asked: Mapping[str, Any]) -> str:
    """A name of the search, which a page token is good for."""
    return f"{at} {asked['filter']} {asked['order_by']}"
