"""`/models`, `/architectures`."""

from dataclasses import asdict

from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.caller import caller
from accounts.projects import project_for
from catalog.versions.datasets import find_dataset
from core.forms import validated
from core.pagination import PAGE, PROJECT, paged
from jobs.lifecycle.api.views import ARCHIVED, Deletable, take_name, wants_archived
from jobs.lifecycle.services import listed
from registry import documents, services
from registry import serializers as shapes
from registry.models import Model
from registry.promotion import promote, roll_back
from registry.recommending import recommend_architecture
from training.architectures import facts, names


class Models(APIView):
    @extend_schema(
        operation_id="models_list", parameters=[*PAGE, PROJECT, ARCHIVED], responses=shapes.ModelListSerializer
    )
    def get(self, request: Request) -> Response:
        """The newest first."""
        rows = listed(Model.objects.select_related("project"), request.query_params, wants_archived(request))
        return Response(paged(request, rows, documents.model_document))

    @extend_schema(
        operation_id="models_create", request=shapes.NewModelSerializer, responses={201: shapes.ModelSerializer}
    )
    def post(self, request: Request) -> Response:
        """A new model."""
        given, author = validated(shapes.NewModelSerializer, request), caller(request)
        given["project"] = project_for(author, given.pop("project", None))
        model = services.create_model(**given, author=author)
        return Response(documents.model_document(model), status=201)


class ModelDetail(Deletable):
    kind = "model"

    @extend_schema(operation_id="models_get", responses=shapes.ModelSerializer)
    def get(self, request: Request, model: str) -> Response:  # noqa: ARG002 - DRF's signature
        return Response(documents.model_document(services.find_model(model)))

    @extend_schema(operation_id="models_change", request=shapes.ModelChangeSerializer, responses=shapes.ModelSerializer)
    def patch(self, request: Request, model: str) -> Response:
        """Rename it, describe it, or say what a version must show before an alias moves to it; `gates` null: the
        defaults. Name and gates are for engineers and owners."""
        found, changes = services.find_model(model), validated(shapes.ModelChangeSerializer, request)
        take_name(request, self.kind, found, changes)
        services.change_model(found, changes)
        return Response(documents.model_document(services.find_model(str(found.pk))))


class Aliases(APIView):
    @extend_schema(
        operation_id="aliases_move",
        request=shapes.MoveAliasSerializer,
        responses={200: shapes.PromotionSerializer},
    )
    def post(self, request: Request, model: str) -> Response:
        """Point an alias at a version; 409 with the failing gates unless `override` passes them over."""
        body = validated(shapes.MoveAliasSerializer, request)
        version = services.find_version(services.find_model(model), body["version"])
        made = promote(version, body["alias"], reason=body["reason"], by=caller(request), override=body["override"])
        return Response(documents.promotion_document(made))


class Promotions(APIView):
    @extend_schema(
        operation_id="promotions_list",
        parameters=[
            OpenApiParameter("alias", description="only the moves of this alias"),
            *PAGE,
        ],
        responses=shapes.PromotionListSerializer,
    )
    def get(self, request: Request, model: str) -> Response:
        """Every move of an alias, the newest first: who, when, why, and what the gates said. No line is ever lost."""
        rows = services.find_model(model).promotions.select_related("version", "previous", "by")
        if alias := request.query_params.get("alias"):
            rows = rows.filter(alias=alias)
        return Response(paged(request, rows, documents.promotion_document))


class RollBack(APIView):
    @extend_schema(
        operation_id="aliases_roll_back",
        request=shapes.RollBackSerializer,
        responses={200: shapes.PromotionSerializer},
    )
    def post(self, request: Request, model: str) -> Response:
        """Point an alias at the version before. For engineers and owners: no gate is asked.

        409 `alias_moved`: the version before is not the `version` that was expected."""
        body = validated(shapes.RollBackSerializer, request)
        made = roll_back(
            services.find_model(model),
            body["alias"],
            reason=body["reason"],
            by=caller(request),
            expected=body.get("version"),
        )
        return Response(documents.promotion_document(made))


class Architectures(APIView):
    @extend_schema(operation_id="architectures_list", responses=shapes.ArchitectureListSerializer)
    def get(self, request: Request) -> Response:  # noqa: ARG002 - DRF's signature
        """What `architecture` takes, with the schema of its parameters and its default recipe.

        503 `architectures_broken` names one of your own that cannot be loaded."""
        return Response({"results": [asdict(facts(name)) for name in names()], "next": None})


class RecommendedArchitecture(APIView):
    @extend_schema(operation_id="datasets_recommended_architecture", responses=shapes.RecommendationSerializer)
    def get(self, request: Request, reference: str) -> Response:  # noqa: ARG002 - DRF's signature
        """The architecture, with the `config` for it, that suits the images at the head."""
        dataset = find_dataset(reference)
        services.check_trainable(dataset)
        return Response(asdict(recommend_architecture(dataset)))
