"""`experiments/..`, `runs/..` and `metrics/..`: the trainings of a model are an experiment with its id and its name."""

from collections.abc import Iterable

from rest_framework.request import Request
from rest_framework.response import Response

from accounts.permissions import needs
from accounts.rights import Right
from core.errors import NotFound
from core.references import MAX_ID_DIGITS, as_number
from mlflow_api import searching
from mlflow_api import serializers as shapes
from mlflow_api.documents import experiment_document, run_documents
from mlflow_api.facts import history
from mlflow_api.pages import slice_of
from mlflow_api.protocol import Operation, asked
from registry.models import Model, Run
from registry.runs import find_run
from registry.services import find_model


class SearchExperiments(Operation):
    rights = needs(POST=Right.READ)

    def get(self, request: Request) -> Response:
        return self._answer(request)

    def post(self, request: Request) -> Response:
        return self._answer(request)

    def _answer(self, request: Request) -> Response:
        told = asked(shapes.SearchExperimentsSerializer, request)
        found, token = searching.find_models(
            told, orders=searching.EXPERIMENT_ORDERS, usual=searching.NEWEST, at=f"experiments {told['view_type']}"
        )
        more = {"next_page_token": token} if token else {}
        return Response({"experiments": [experiment_document(model) for model in found], **more})


class GetExperiment(Operation):
    def get(self, request: Request) -> Response:
        told = asked(shapes.ExperimentSerializer, request)
        return Response({"experiment": experiment_document(_experiment(told["experiment_id"]))})


class GetExperimentByName(Operation):
    def get(self, request: Request) -> Response:
        name = asked(shapes.ExperimentNameSerializer, request)["experiment_name"]
        if as_number(name, digits=MAX_ID_DIGITS) is not None:
            raise NotFound(f"There is no model {name!r}.", code="model_unknown")
        return Response({"experiment": experiment_document(find_model(name))})


class SearchRuns(Operation):
    rights = needs(POST=Right.READ)

    def post(self, request: Request) -> Response:
        told = asked(shapes.SearchRunsSerializer, request)
        found, token = searching.find_runs(list(_known(told["experiment_ids"])), told, at="runs")
        more = {"next_page_token": token} if token else {}
        return Response({"runs": run_documents(found), **more})


class GetRun(Operation):
    def get(self, request: Request) -> Response:
        run = _find_run(asked(shapes.RunSerializer, request)["run_id"])
        return Response({"run": run_documents([run])[0]})


class MetricHistory(Operation):
    def get(self, request: Request) -> Response:
        told = asked(shapes.HistorySerializer, request)
        run = _find_run(told["run_id"])
        search = f"history {run.pk} {told['metric_key']}"
        points, token = slice_of(
            history(run, told["metric_key"]), token=told["page_token"], limit=told["max_results"], search=search,
            name=lambda point: point["step"],
        )  # fmt: skip
        more = {"next_page_token": token} if token else {}
        return Response({"metrics": points, **more})


class LoggedModels(Operation):
    """MLflow 3 keeps models of runs apart from their files, and looks for them when it lists files. Here a run's model
    is a version: there are none beside it."""

    rights = needs(POST=Right.READ)

    def post(self, request: Request) -> Response:
        list(_known(asked(shapes.ExperimentsSerializer, request)["experiment_ids"]))
        return Response({"models": []})


def _known(experiments: Iterable[str]) -> Iterable[int]:
    """The models of these experiments. Raises NotFound for one that is not there, or in a project of others."""
    for one in experiments:
        yield _experiment(one).pk


def _experiment(reference: str) -> Model:
    if as_number(reference, digits=MAX_ID_DIGITS) is None:
        raise NotFound(f"There is no experiment {reference!r}: its id is a number.", code="model_unknown")
    return find_model(reference)


def _find_run(reference: str) -> Run:
    number = as_number(reference, digits=MAX_ID_DIGITS)
    if number is None:
        raise NotFound(f"There is no run {reference!r}: its id is a number.", code="run_unknown")
    return find_run(number)
