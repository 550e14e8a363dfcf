"""`/datasets/{id}/schema`: classes with their keys, looks, guidelines and examples."""

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.caller import caller
from accounts.permissions import needs
from accounts.rights import Right
from catalog.models import Dataset
from catalog.schemas import reading as schemas
from catalog.schemas.changing import change_schema
from catalog.serializers.schemas import DatasetSchemaSerializer, LabelSchemaSerializer, NewSchemaSerializer
from catalog.versions.datasets import find_dataset
from core.forms import validated


class Schema(APIView):
    rights = needs(GET=Right.SEE)

    @extend_schema(operation_id="schemas_get", responses=DatasetSchemaSerializer)
    def get(self, request: Request, reference: str) -> Response:  # noqa: ARG002 - DRF's signature
        """Return the label schema (the instructions to annotators for each class) and its history."""
        return Response(_shown(find_dataset(reference)))

    @extend_schema(operation_id="schemas_change", request=NewSchemaSerializer, responses=DatasetSchemaSerializer)
    def put(self, request: Request, reference: str) -> Response:
        """Create a version of the schema on `parent`; 409 when that is no longer the newest. Classes keep their order
        and keys, and new ones come after them; a class with labels can be archived but not removed. For owners and
        reviewers."""
        told = validated(NewSchemaSerializer, request)
        dataset = find_dataset(reference)
        change_schema(dataset, told.pop("classes"), author=caller(request), **told)
        return Response(_shown(dataset))


class SchemaAt(APIView):
    rights = needs(GET=Right.SEE)

    @extend_schema(operation_id="schemas_at", responses=LabelSchemaSerializer)
    def get(self, request: Request, reference: str, number: int) -> Response:  # noqa: ARG002 - DRF's signature
        """Return the schema as of one of its versions."""
        return Response(schemas.version_document(find_dataset(reference), number))


def _shown(dataset: Dataset) -> dict[str, object]:
    return schemas.document(dataset) | {"history": schemas.history(dataset)}
