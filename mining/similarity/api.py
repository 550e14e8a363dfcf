"""`/datasets/{reference}/versions/{number}/similar` and `../embeddings`."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.caller import caller
from accounts.permissions import needs
from accounts.rights import Right
from blobs.budget import Budget
from catalog.api.samples import FILTERS
from catalog.keys import normal_key
from catalog.models import Dataset, Version
from catalog.reading.queries import asked, chosen_samples, find_revision
from catalog.versions.datasets import find_dataset, find_version
from core.errors import Invalid, TooLarge
from core.forms import validated
from core.pagination import DEFAULT_LIMIT, MAX_LIMIT, integer
from core.parameters import whole_number
from jobs.tasks import wake
from similarity import serializers as shapes
from similarity.documents import MOST, embeddings_document, similar_document
from similarity.embeddings import Embedder, embedder_of, start_embedding
from similarity.search import Query, Region, find_similar

MAX_IMAGE_BYTES = 32 << 20
MOST_PIXELS = 2**31 - 1
MOST_LETTERS = 1000
"""Most characters of the words to look for; the answer says how much of them the encoder read."""
MODEL = OpenApiParameter("model", description=shapes.MODEL_HELP)
ENCODER = OpenApiParameter("encoder", description=shapes.ENCODER_HELP)
WINDOW = [
    MODEL,
    ENCODER,
    OpenApiParameter("x", {"type": "integer", "minimum": 0, "maximum": MOST_PIXELS},
                     description="left edge of a part of the image, in pixels; give `y`, `width` and `height` too; "
                     "what reaches beyond the image is left out"),
    whole_number("y", 0, MOST_PIXELS),
    whole_number("width", 1, MOST_PIXELS),
    whole_number("height", 1, MOST_PIXELS),
    *FILTERS,
    whole_number("offset", 0, MOST - 1),
    whole_number("limit", 1, MAX_LIMIT, default=DEFAULT_LIMIT),
]  # fmt: skip
REGION = ("x", "y", "width", "height")


class Embeddings(APIView):
    @extend_schema(operation_id="embeddings_get", parameters=[MODEL, ENCODER], responses=shapes.EmbeddingsSerializer)
    def get(self, request: Request, reference: str, number: str) -> Response:
        """Count the samples of a version that have embeddings, and those that lack them."""
        dataset, version = _found(reference, number)
        return Response(embeddings_document(version, _embedder(request, dataset)))

    @extend_schema(
        operation_id="embeddings_create",
        request=shapes.NewEmbeddingsSerializer,
        responses={200: shapes.EmbeddingsSerializer, 202: shapes.EmbeddingsSerializer, 409: None},
    )
    def post(self, request: Request, reference: str, number: str) -> Response:
        """Compute the missing embeddings of a version; 200 when none is missing. A running job is not started twice."""
        dataset, version = _found(reference, number)
        body = validated(shapes.NewEmbeddingsSerializer, request)
        embedder = embedder_of(dataset, body["model"], body["encoder"])
        job = start_embedding(version, embedder, author=caller(request))
        if job is not None:
            wake(job)
        return Response(embeddings_document(version, embedder), status=202 if job else 200)


class SimilarSamples(APIView):
    rights = needs(POST=Right.READ)
    parser_classes = [MultiPartParser]

    @extend_schema(
        operation_id="similar_list",
        parameters=[
            OpenApiParameter("to", description="key of a sample of the version; or else give `text`"),
            OpenApiParameter(
                "text",
                {"type": "string", "minLength": 1, "maxLength": MOST_LETTERS},
                description="words to look for, like `a red car`, in place of `to`: " + shapes.WORDS_HELP,
            ),
            *WINDOW,
        ],
        responses={200: shapes.SimilarListSerializer, 409: None, 422: None, 429: None},
    )
    def get(self, request: Request, reference: str, number: str) -> Response:
        """List the samples of a version most like one of them, like a part of it, or like words, by the cosine of their
        embeddings, nearest first, equal ones by key. 409 (`embeddings_missing`) where there are no embeddings yet."""
        dataset, version = _found(reference, number)
        text = _text(request)
        if text is not None:
            return _answer(request, dataset, version, Query(text=text))
        if not (key := request.query_params.get("to")):
            raise Invalid.field("to", "name the key of a sample, give words as `text`, or send an image by POST")
        query = Query(sample=find_revision(version, normal_key(key)), region=_region(request))
        return _answer(request, dataset, version, query)

    @extend_schema(
        operation_id="similar_to_image",
        parameters=WINDOW,
        request={"multipart/form-data": shapes.SimilarToSerializer},
        responses={200: shapes.SimilarListSerializer, 409: None, 422: None, 429: None},
    )
    def post(self, request: Request, reference: str, number: str) -> Response:
        """List the samples of a version most like an uploaded image. The image is not stored."""
        dataset, version = _found(reference, number)
        file = validated(shapes.SimilarToSerializer, request)["file"]
        if file.size > MAX_IMAGE_BYTES:
            words = f"has more than {MAX_IMAGE_BYTES >> 20} MiB: send a smaller image"
            raise TooLarge(f"file: {words}", errors={"file": [words]})
        return _answer(request, dataset, version, Query(image=file.read(), region=_region(request)))


def _text(request: Request) -> str | None:
    """Return the words to look for, None if there are none. Raises Invalid naming a parameter that can't be combined
    with them."""
    if "text" not in request.query_params:
        return None
    text = " ".join(request.query_params["text"].split())
    if not text:
        raise Invalid.field("text", "write what is to be seen, like “a red car”")
    if beside := next((name for name in ("to", *REGION) if name in request.query_params), None):
        raise Invalid.field(beside, "is of a search by an image: leave it out beside `text`")
    if request.query_params.get("model"):
        raise Invalid.field("model", "reads no words: leave it out, or name an `encoder`")
    return text


def _found(reference: str, number: str) -> tuple[Dataset, Version]:
    dataset = find_dataset(reference)
    return dataset, find_version(dataset, number)


def _answer(request: Request, dataset: Dataset, version: Version, query: Query) -> Response:
    embedder = _embedder(request, dataset)
    offset = integer(request, "offset", default=0, low=0, high=MOST - 1)
    limit = min(integer(request, "limit", default=DEFAULT_LIMIT, low=1, high=MAX_LIMIT), MOST - offset)
    chosen = chosen_samples(asked(request.query_params), dataset)
    with Budget(caller(request).pk) as budget:
        found = find_similar(version, embedder, query, chosen, offset=offset, limit=limit, spend=budget.spend)
    return Response(similar_document(found, version, embedder, query, offset))


def _embedder(request: Request, dataset: Dataset) -> Embedder:
    return embedder_of(dataset, request.query_params.get("model"), request.query_params.get("encoder"))


def _region(request: Request) -> Region | None:
    told: dict[str, Any] = {name: request.query_params[name] for name in REGION if name in request.query_params}
    if not told:
        return None
    if lacking := [name for name in REGION if name not in told]:
        raise Invalid.field(lacking[0], f"a part of an image has all of {', '.join(REGION)}, in pixels")
    x, y = (integer(request, name, default=0, low=0, high=MOST_PIXELS) for name in ("x", "y"))
    width, height = (integer(request, name, default=1, low=1, high=MOST_PIXELS) for name in ("width", "height"))
    return x, y, width, height
