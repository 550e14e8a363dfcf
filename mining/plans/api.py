"""`/plans`: a calculation that keeps nothing, and the published examples it is held against."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.permissions import needs
from accounts.rights import Right
from core.errors import Invalid
from core.forms import validated
from planning import PlanError, plan, read
from plans import serializers as shapes
from plans.documents import example_documents, plan_document
from plans.paces import measured, usual_epochs


class Plans(APIView):
    rights = needs(POST=Right.READ)

    @extend_schema(operation_id="plans_make", request=shapes.QuestionSerializer, responses=shapes.PlanSerializer)
    def post(self, request: Request) -> Response:
        """What a fleet's data ask for: storage, samples, training and scoring time, annotators, network and money.
        What the body does not say is measured here where it can be; each number says where it comes from."""
        body = validated(shapes.QuestionSerializer, request)
        try:
            made = plan(read(body), measured(), epochs=usual_epochs())
        except PlanError as error:
            raise Invalid(str(error), code=error.code, errors=error.errors) from error
        return Response(plan_document(made))


class PlanExamples(APIView):
    @extend_schema(operation_id="plans_examples", responses=shapes.PlanExampleListSerializer)
    def get(self, request: Request) -> Response:  # noqa: ARG002 - DRF's signature
        """Published sums by name, each as a question that can be sent as it is or changed."""
        return Response({"results": example_documents()})
