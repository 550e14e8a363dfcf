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
from core.pagination import NAMED, PAGE, PROJECT, each, named, paged
from jobs.lifecycle.api.views import ARCHIVED, Deletable, take_name, wants_archived
from jobs.lifecycle.services import listed
from registry import documents, services
from registry import serializers as shapes
from registry.models import Model
from registry.promotion import promote, roll_back
from registry.recommending import recommend_architecture, recommend_count, recommend_learner
from training.architectures import facts, names
from training.auto import auto_facts

FITTING = OpenApiParameter(
    "dataset", description="id or name of a dataset: only models of its project, with its task and classes"
)
ALIASED = OpenApiParameter("alias", description="only models with a version under this alias: `production`")


class Models(APIView):
    @extend_schema(
        operation_id="models_list",
        parameters=[FITTING, ALIASED, NAMED, *PAGE, PROJECT, ARCHIVED],
        responses=shapes.ModelListSerializer,
    )
    def get(self, request: Request) -> Response:
        """List models, the newest first."""
        rows = listed(Model.objects.select_related("project"), request.query_params, wants_archived(request))
        if reference := request.query_params.get("dataset"):
            dataset = find_dataset(reference)
            rows = rows.filter(project=dataset.project_id, task=dataset.task, classes=dataset.classes)
        if alias := request.query_params.get("alias"):
            rows = rows.filter(aliases__name=alias)
        rows = named(request, rows, "name", "description", "task", documents=["classes"])
        return Response(paged(request, rows, documents.model_documents))

    @extend_schema(
        operation_id="models_create", request=shapes.NewModelSerializer, responses={201: shapes.ModelSerializer}
    )
    def post(self, request: Request) -> Response:
        """Create a model."""
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
        """Change the name, the description, or the gates that a version must pass before an alias moves to it; `gates`
        null: the defaults. Name and gates are for engineers and owners."""
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
        """Point an alias at a version; 409 with the verdicts if gates fail, unless `override` is set."""
        body = validated(shapes.MoveAliasSerializer, request)
        version = services.find_version(services.find_model(model), body["version"])
        made = promote(version, body["alias"], reason=body["reason"], by=caller(request), override=body["override"])
        return Response(documents.promotion_document(made))


class Promotions(APIView):
    @extend_schema(
        operation_id="promotions_list",
        parameters=[
            OpenApiParameter("alias", description="alias to list the moves of"),
            *PAGE,
        ],
        responses=shapes.PromotionListSerializer,
    )
    def get(self, request: Request, model: str) -> Response:
        """List every move of an alias, the newest first: who, when, why, and the verdicts. No entry is ever removed."""
        rows = services.find_model(model).promotions.select_related("version", "previous", "by")
        if alias := request.query_params.get("alias"):
            rows = rows.filter(alias=alias)
        return Response(paged(request, rows, each(documents.promotion_document)))


class RollBack(APIView):
    @extend_schema(
        operation_id="aliases_roll_back",
        request=shapes.RollBackSerializer,
        responses={200: shapes.PromotionSerializer},
    )
    def post(self, request: Request, model: str) -> Response:
        """Point an alias at the previous version. For engineers and owners, because no gates are checked.

        409 `alias_moved`: the previous version is not the `version` that you expected."""
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
        """List the values of `architecture`, with the schema of their parameters and their default recipe. `auto` is
        the learner that runs and pipelines can name in their place.

        503 `architectures_broken` names an architecture of your own that cannot be loaded."""
        results = [asdict(facts(name)) for name in names()]
        return Response({"results": results, "next": None, "auto": asdict(auto_facts())})


class RecommendedArchitecture(APIView):
    @extend_schema(operation_id="datasets_recommended_architecture", responses=shapes.RecommendationSerializer)
    def get(self, request: Request, reference: str) -> Response:  # noqa: ARG002 - DRF's signature
        """Recommend an architecture, and the `config` for it, that suits the images at the head; the `learner` that
        runs and pipelines use when they name none, and the `labels_per_round` of a pipeline that names no count."""
        dataset = find_dataset(reference)
        services.check_trainable(dataset)
        learner, count = asdict(recommend_learner(dataset)), asdict(recommend_count(dataset))
        suited = asdict(recommend_architecture(dataset))
        return Response(suited | {"learner": learner, "labels_per_round": count})
