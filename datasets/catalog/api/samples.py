"""The samples of a version: pages, facets, one sample, its history."""

from typing import Any

from django.db.models import Exists, OuterRef
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from catalog.erasure.containment import contained_in, current, spans_of
from catalog.filtering.expressions import MAX_SAMPLES
from catalog.keys import normal_key
from catalog.models import Dataset, Label, Revision, Sample, Split, Version
from catalog.reading import queries
from catalog.reading.orders import ADDED, MAX_SEED, ORDERS, Order
from catalog.reading.queries import Asked, asked, beside, chosen_samples
from catalog.serializers.samples import (
    FacetsSerializer,
    LineageSerializer,
    SampleDetailSerializer,
    SampleKeyListSerializer,
    SampleListSerializer,
    sample_document,
)
from catalog.versions.datasets import find_dataset, find_version
from core.errors import Invalid
from core.pagination import DEFAULT_LIMIT, MAX_LIMIT, PAGE, SEARCHED, decode, encode, integer
from core.parameters import PROBABILITY, whole_number

MAX_OFFSET = 2**31 - 1
MOST_KEYS = MAX_SAMPLES  # the largest number of sample ids in a filter
MAX_FILTER = 16_000  # a URL has room for no more; a body takes longer ones
IDS = OpenApiParameter(
    "ids",
    {"type": "string", "maxLength": queries.MOST_IDS * 20, "pattern": "^[0-9]+(,[0-9]+)*$"},
    description=f"sample ids with commas, at most {queries.MOST_IDS}: those of them that are in the version",
)
FILTERS = [
    OpenApiParameter("split", enum=Split.values, many=True, description="one of these; send it several times"),
    OpenApiParameter("label", many=True, description="a class that the label names; of several one of them"),
    OpenApiParameter("tag", many=True, description="one of the texts in the list meta.tags"),
    OpenApiParameter("labelled", bool),
    OpenApiParameter("predicted_by", description="the model that the next four are about, like signs@production"),
    OpenApiParameter("predicted", many=True, description="the class that the model finds likeliest; of several one"),
    OpenApiParameter(
        "confidence_from", PROBABILITY, description="least confidence of the likeliest class, by the stored scores"
    ),
    OpenApiParameter("confidence_to", PROBABILITY),
    OpenApiParameter("correct", bool, description="the label says what the model says, or something else"),
    OpenApiParameter("q", SEARCHED, description="a part of the key"),
    OpenApiParameter("slice", description="the name of a saved filter"),
    OpenApiParameter(
        "filter",
        {"type": "string", "maxLength": MAX_FILTER},
        description="more conditions, as text (`boxes >= 10 and not tag = blurry`) or as JSON",
    ),
    IDS,
]
ORDER = [
    OpenApiParameter(
        "order",
        enum=ORDERS,
        description="what comes first: a minus turns it round, `-loss` has what is most wrong first; confidence and "
        "loss are those of `predicted_by`, uniqueness is that of the newest map, and samples without them are last",
    ),
    whole_number("seed", 0, MAX_SEED, default=0, description="seed of `order=random`"),
]


class Samples(APIView):
    @extend_schema(
        operation_id="samples_list",
        parameters=[
            *FILTERS, *ORDER, whole_number("offset", 0, MAX_OFFSET), *PAGE,
        ],
        responses=SampleListSerializer,
    )  # fmt: skip
    def get(self, request: Request, reference: str, number: str) -> Response:
        """List the samples from an `offset`, or after a `cursor` (`next` has one), in the order they were added, or in
        another `order`."""
        dataset, version = _found(reference, number)
        chosen = chosen_samples(asked(request.query_params), dataset)
        limit = integer(request, "limit", default=DEFAULT_LIMIT, low=1, high=MAX_LIMIT)
        offset = integer(request, "offset", default=0, low=0, high=MAX_OFFSET)
        after = _position(request)
        if after is not None and offset:
            raise Invalid.field("offset", "send either `offset` or `cursor`, not both")
        order = _order(request)
        if order.by != ADDED and after is not None:
            offset, after = after, None  # the cursor is an offset: other orders have no id to continue from
        rows = queries.window(version, chosen, offset=offset, limit=limit + 1, after=after, order=order)
        following = None
        if len(rows) > limit:
            rows = rows[:limit]
            following = _after(request, version, rows[-1].sample_id if order.by == ADDED else offset + limit)
        return Response(
            {
                "results": [sample_document(row) for row in rows],
                "total": queries.total(version, chosen),
                "offset": offset if after is None else None,
                "next": following,
            }
        )


class SampleKeys(APIView):
    @extend_schema(
        operation_id="samples_keys",
        parameters=[
            *FILTERS, *ORDER, whole_number("offset", 0, MAX_OFFSET),
            whole_number("limit", 1, MOST_KEYS, default=MOST_KEYS),
        ],
        responses=SampleKeyListSerializer,
    )  # fmt: skip
    def get(self, request: Request, reference: str, number: str) -> Response:
        """List the ids and keys of the samples that pass the filters, in the same order as the samples, at most 20,000
        from `offset`. Use it to select a range of samples without reading each."""
        dataset, version = _found(reference, number)
        chosen = chosen_samples(asked(request.query_params), dataset)
        limit = integer(request, "limit", default=MOST_KEYS, low=1, high=MOST_KEYS)
        offset = integer(request, "offset", default=0, low=0, high=MAX_OFFSET)
        rows = queries.keys(version, chosen, offset=offset, limit=limit, order=_order(request))
        found = [{"id": pk, "key": key} for pk, key in rows]
        told = {"total": queries.total(version, chosen), "offset": offset, "version": version.number}
        return Response({"results": found} | told)


class Facets(APIView):
    @extend_schema(operation_id="samples_facets", parameters=FILTERS, responses=FacetsSerializer)
    def get(self, request: Request, reference: str, number: str) -> Response:
        """Count the samples that pass the filters in each split and class. If a facet is itself filtered, its counts
        ignore that filter: they show how many samples another value would add."""
        dataset, version = _found(reference, number)
        query = asked(request.query_params)
        return Response(_facets(version, dataset, query))


class SampleDetail(APIView):
    @extend_schema(
        operation_id="samples_get",
        parameters=[OpenApiParameter("version", description="a version's number, or `head` (the default)")],
        responses=SampleDetailSerializer,
    )
    def get(self, request: Request, reference: str, key: str) -> Response:
        """Return a sample as it is in a version."""
        dataset, version = _found(reference, request.query_params.get("version", "head"))
        found = queries.find_revision(version, normal_key(key))
        return Response(sample_document(found) | {"dataset": dataset.name, "version": version.number})


class Lineage(APIView):
    @extend_schema(operation_id="samples_lineage", responses=LineageSerializer)
    def get(self, request: Request, reference: str, key: str) -> Response:  # noqa: ARG002 - DRF's signature
        """List the versions in which a sample changed, all labels it ever had, and what contained it: which models
        learned from it, through parents and members to any depth, which were judged by it, and what scored, picked and
        asked for it. Works for removed samples too. Things of projects that you may not see are counted in `hidden`."""
        dataset = find_dataset(reference)
        sample = queries.find_sample(dataset, normal_key(key))
        told = [_revision(revision, version) for revision, version in queries.history(dataset, sample)]
        (contained,) = current([contained_in(spans_of(sample), [sample.pk])])
        return Response(
            {
                "id": sample.pk,
                "key": sample.key,
                "dataset": dataset.name,
                "revisions": told,
                "labels": _labels(sample),
                "contained_in": contained,
            }
        )


def _found(reference: str, number: str) -> tuple[Dataset, Version]:
    dataset = find_dataset(reference)
    return dataset, find_version(dataset, number)


def _position(request: Request) -> int | None:
    cursor = request.query_params.get("cursor")
    return int(decode(cursor, path=request.path)) if cursor is not None else None


def _order(request: Request) -> Order:
    seed = integer(request, "seed", default=0, low=0, high=MAX_SEED)
    return Order.of(request.query_params.get("order", ADDED), request.query_params.get("predicted_by"), seed)


def _facets(version: Version, dataset: Dataset, query: Asked) -> dict[str, Any]:
    model = query.get("predicted_by")
    chosen = chosen_samples(query, dataset)
    return queries.facets(version, chosen, beside(query, dataset), str(model) if model else None)


def _after(request: Request, version: Version, last: int) -> str:
    """The URL of the next page, with the version's number, because `head` may move between pages."""
    path = f"/datasets/{version.dataset_id}/versions/{version.number}/samples"
    query = request.query_params.copy()
    query["cursor"] = encode(last, path=path)
    query.pop("offset", None)
    return request.build_absolute_uri(f"{path}?{query.urlencode()}")


def _revision(revision: Revision, version: Version) -> dict[str, Any]:
    return {
        "dataset": version.dataset.name,
        "since": revision.since,
        "until": revision.until,
        "digest": revision.blob.md5,
        "split": revision.split,
        "label": revision.label.value if revision.label else None,
        "message": version.message,
        "author": version.author.username,
        "created": version.created,
    }


def _labels(sample: Sample) -> list[dict[str, Any]]:
    fields = ("id", "value", "source", "seconds", "facts", "created")
    given = Revision.objects.committed().filter(sample=sample, label=OuterRef("pk"))
    rows = Label.objects.filter(Exists(given), sample=sample)
    return [
        {name: getattr(label, name) for name in fields} | {"author": label.author.username if label.author else None}
        for label in rows.select_related("author").order_by("pk")
    ]
