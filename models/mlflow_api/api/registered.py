"""`registered-models/..` and `model-versions/..`."""

from contextlib import suppress
from typing import Any

from django.db.models import prefetch_related_objects
from rest_framework.request import Request
from rest_framework.response import Response

from accounts.caller import caller
from accounts.permissions import needs
from accounts.rights import Right
from core.errors import Invalid, NotFound
from mlflow_api import changing, searching
from mlflow_api import serializers as shapes
from mlflow_api.documents import (
    MODEL_ROWS,
    NO_STAGE,
    STAGES,
    VERSION_ROWS,
    VERSION_SETS,
    latest,
    model_documents,
    version_document,
)
from mlflow_api.files import version_uri
from mlflow_api.protocol import Exists, Operation, Refused, asked
from registry.models import Model, ModelVersion
from registry.services import find_model, find_version

ALL_STAGES = (*STAGES, NO_STAGE, "Archived")
NOT_CREATED = (
    "A model of the platform has a task and classes, which MLflow's client can't say: make it with "
    "`lode model create NAME --classes ..`."
)
NOT_DELETED = (
    "An alias is moved and never removed, so that its history has no gaps: set it to another version, or undo its last "
    "move with `lode model rollback`."
)


class SearchModels(Operation):
    def get(self, request: Request) -> Response:
        told = asked(shapes.SearchSerializer, request)
        found, token = searching.find_models(
            told, orders=searching.MODEL_ORDERS, usual=searching.MODELS_BY_NAME, at="models"
        )
        return Response({"registered_models": model_documents(found), **_next(token)})


class CreateModel(Operation):
    def post(self, request: Request) -> Response:
        name = asked(shapes.NameSerializer, request)["name"]
        with suppress(NotFound):
            raise Exists(f"There is a model {find_model(name).name!r} already.")
        raise Refused(NOT_CREATED)


class GetModel(Operation):
    def get(self, request: Request) -> Response:
        model = find_model(asked(shapes.NameSerializer, request)["name"])
        return Response({"registered_model": _model(model)})


class UpdateModel(Operation):
    def patch(self, request: Request) -> Response:
        told = asked(shapes.DescriptionSerializer, request)
        return Response({"registered_model": _model(changing.describe_model(told["name"], told["description"]))})


class LatestVersions(Operation):
    rights = needs(POST=Right.READ)

    def get(self, request: Request) -> Response:
        return self._answer(request)

    def post(self, request: Request) -> Response:
        return self._answer(request)

    def _answer(self, request: Request) -> Response:
        told = asked(shapes.LatestSerializer, request)
        known = {stage.lower(): stage for stage in ALL_STAGES}
        if wrong := [stage for stage in told["stages"] if stage.lower() not in known]:
            raise Invalid.field("stages", f"there is no {wrong[0]!r}: use {', '.join(ALL_STAGES)}")
        stages = [known[stage.lower()] for stage in told["stages"]] or ALL_STAGES
        model = find_model(told["name"])
        return Response({"model_versions": [version_document(row) for row in latest([model], stages)[model.pk]]})


class Alias(Operation):
    def get(self, request: Request) -> Response:
        told = asked(shapes.AliasSerializer, request)
        model = find_model(told["name"])
        rows = model.versions.select_related(*VERSION_ROWS).prefetch_related(*VERSION_SETS)
        version = rows.filter(aliases__name=told["alias"]).first()
        if version is None:
            raise NotFound(f"Model {model.name!r} has no alias {told['alias']!r}.", code="alias_unknown")
        return Response({"model_version": version_document(version)})

    def post(self, request: Request) -> Response:
        told = asked(shapes.SetAliasSerializer, request)
        changing.set_alias(told["name"], told["alias"], told["version"], by=caller(request))
        return Response({})

    def delete(self, request: Request) -> Response:
        find_model(asked(shapes.AliasSerializer, request)["name"])
        raise Refused(NOT_DELETED)


class SearchVersions(Operation):
    def get(self, request: Request) -> Response:
        found, token = searching.find_versions(asked(shapes.SearchSerializer, request), at="versions")
        return Response({"model_versions": [version_document(row) for row in found], **_next(token)})


class GetVersion(Operation):
    def get(self, request: Request) -> Response:
        return Response({"model_version": _version(_asked_version(request))})


class UpdateVersion(Operation):
    def patch(self, request: Request) -> Response:
        told = asked(shapes.NotesSerializer, request)
        return Response(
            {"model_version": _version(changing.describe_version(told["name"], told["version"], told["description"]))}
        )


class DownloadUri(Operation):
    def get(self, request: Request) -> Response:
        return Response({"artifact_uri": version_uri(_asked_version(request))})


def _asked_version(request: Request) -> ModelVersion:
    told = asked(shapes.VersionSerializer, request)
    return find_version(find_model(told["name"]), told["version"])


def _model(model: Model) -> dict[str, Any]:
    prefetch_related_objects([model], *MODEL_ROWS)
    return model_documents([model])[0]


def _version(version: ModelVersion) -> dict[str, Any]:
    prefetch_related_objects([version], *VERSION_ROWS, *VERSION_SETS)
    return version_document(version)


def _next(token: str) -> dict[str, str]:
    return {"next_page_token": token} if token else {}
