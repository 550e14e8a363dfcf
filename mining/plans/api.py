"""`/plans`: a calculation that stores nothing, and the published examples it is compared with."""

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
        """Calculate what a fleet's data need: storage, samples, training and scoring time, annotators, network and
        money. Values that the body leaves out are measured here where they can be; each number names its source."""
        body = validated(shapes.QuestionSerializer, request)
        try:
            made = plan(read(body), measured(), epochs=usual_epochs())
        except PlanError as error:
            raise Invalid(str(error), code=error.code, errors=error.errors) from error
        return Response(plan_document(made))


class PlanExamples(APIView):
    @extend_schema(operation_id="plans_examples", responses=shapes.PlanExampleListSerializer)
    def get(self, request: Request) -> Response:  # noqa: ARG002 - DRF's signature
        """List published calculations by name, each as a question that can be sent as it is or changed."""
        return Response({"results": example_documents()})
