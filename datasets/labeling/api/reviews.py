"""`/labeling/reviews`, `/labeling/people`, and the agreement and gold of a queue."""

from typing import Any

from django.db.models import Q
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.caller import caller
from accounts.permissions import needs
from accounts.rights import Right, asked_projects
from core.errors import Invalid
from core.forms import validated
from core.pagination import PAGE, PROJECT, integer, paged
from core.parameters import whole_number
from labeling.documents.reviews import review_documents
from labeling.models import Queue, Review
from labeling.quality.figures import agreement
from labeling.quality.people import people
from labeling.reviewing.flags import can_review
from labeling.reviewing.gold import mix_in
from labeling.reviewing.reviews import decide, find_review, listed, reopen
from labeling.serializers import reviews as shapes
from labeling.services import find_queue

DAYS = 30
MOST_DAYS = 3650
MINE = "mine"
OF_PEOPLE = [
    OpenApiParameter("queue", description="id or name of a queue; leave it out for all queues"),
    whole_number("days", 1, MOST_DAYS, description=f"how far back; {DAYS} unless a queue is named, which counts whole"),
]


class Reviews(APIView):
    rights = needs(GET=Right.REVIEW)

    @extend_schema(
        operation_id="reviews_list",
        parameters=[
            OpenApiParameter("queue", description="id or name of a queue"),
            OpenApiParameter("state", enum=[*Review.State.values, MINE], description="`mine`: those I decided"),
            OpenApiParameter("reason", enum=Review.Reason.values),
            PROJECT,
            *PAGE,
        ],
        responses=shapes.ReviewListSerializer,
    )
    def get(self, request: Request) -> Response:
        """List reviews, oldest first, each with everybody's answers to its task. For reviewers and up."""
        user, wanted = caller(request), Q()
        query = request.query_params
        if (queue := query.get("queue")) is not None:
            wanted &= Q(queue=find_queue(queue))
        if state := _choice(request, "state", [*Review.State.values, MINE]):
            wanted &= Q(decided_by=user) if state == MINE else Q(state=state)
        if reason := _choice(request, "reason", Review.Reason.values):
            wanted &= Q(reason=reason)
        return Response(paged(request, listed(wanted, query), review_documents, descending=False))


class ReviewDetail(APIView):
    rights = needs(GET=Right.REVIEW)

    @extend_schema(operation_id="reviews_get", responses=shapes.ReviewSerializer)
    def get(self, request: Request, pk: int) -> Response:  # noqa: ARG002 - DRF's signature
        """One review. For reviewers and up."""
        return Response(review_documents([find_review(pk)])[0])


class ReviewDecide(APIView):
    rights = needs(POST=Right.REVIEW)

    @extend_schema(operation_id="reviews_decide", request=shapes.DecisionSerializer, responses=shapes.ReviewSerializer)
    def post(self, request: Request, pk: int) -> Response:
        """Decide the label of the task. 409 `already_decided` when another reviewer was first; 403 `own_answer` for the
        author of the only answer while there is another owner or reviewer: a sole reviewer decides on their own answers
        too."""
        user, wanted = caller(request), validated(shapes.DecisionSerializer, request)
        return Response(review_documents([decide(find_review(pk), user, **wanted)])[0])


class ReviewReopen(APIView):
    rights = needs(POST=Right.REVIEW)

    @extend_schema(operation_id="reviews_reopen", request=None, responses=shapes.ReviewSerializer)
    def post(self, request: Request, pk: int) -> Response:
        """Take a decision back, before the queue is committed; it stays in the history."""
        return Response(review_documents([reopen(find_review(pk), caller(request))])[0])


class QueueAgreement(APIView):
    rights = needs(GET=Right.REVIEW)

    @extend_schema(operation_id="queues_agreement", responses=shapes.AgreementSerializer)
    def get(self, request: Request, reference: str) -> Response:  # noqa: ARG002 - DRF's signature
        """Return how far people agree with each other, with the model, and with the consensus. For reviewers and up."""
        return Response(agreement(find_queue(reference)))


class QueueGold(APIView):
    rights = needs(POST=Right.REVIEW)

    @extend_schema(operation_id="queues_gold", request=shapes.NewGoldSerializer, responses={201: shapes.GoldSerializer})
    def post(self, request: Request, reference: str) -> Response:
        """Mix labelled samples into the tasks that nobody has started, up to the queue's `gold_share`. For reviewers
        and up."""
        wanted = validated(shapes.NewGoldSerializer, request)
        mixed = mix_in(find_queue(reference), wanted["samples"], author=caller(request))
        return Response(mixed.document(), status=201)


class People(APIView):
    rights = needs(GET=Right.SEE)

    @extend_schema(
        operation_id="labeling_people", parameters=[*OF_PEOPLE, PROJECT], responses=shapes.PeopleFiguresSerializer
    )
    def get(self, request: Request) -> Response:
        """Return how much, how fast and how accurately people label. Annotators get only their own row."""
        asked = _window(request)
        queue, among = asked["queue"], asked_projects(request.query_params, Right.REVIEW)
        leads = can_review(caller(request), queue) if queue else among is None or bool(among)
        if not leads:
            among = asked_projects(request.query_params, Right.SEE) if "project" in request.query_params else None
        rows = people(**asked, only=None if leads else caller(request), among=among)
        return Response({"results": rows, "next": None})


class PeopleMe(APIView):
    rights = needs(GET=Right.SEE)

    @extend_schema(operation_id="labeling_people_me", parameters=OF_PEOPLE, responses=shapes.PersonFiguresSerializer)
    def get(self, request: Request) -> Response:
        """Return how much, how fast and how accurately you label."""
        return Response(people(**_window(request), only=caller(request))[0])


def _window(request: Request) -> dict[str, Any]:
    name = request.query_params.get("queue")
    queue: Queue | None = None if name is None else find_queue(name)
    asked = "days" in request.query_params or queue is None
    return {"queue": queue, "days": integer(request, "days", default=DAYS, low=1, high=MOST_DAYS) if asked else None}


def _choice(request: Request, name: str, known: list[str]) -> str | None:
    """Return a query parameter that must be one of `known`. Raises Invalid listing the allowed values."""
    value = request.query_params.get(name)
    if value is not None and value not in known:
        raise Invalid.field(name, f"must be one of {', '.join(known)}")
    return value
