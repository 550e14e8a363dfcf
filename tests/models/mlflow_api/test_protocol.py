"""MLflow's protocol as any client may speak it: walls, rights, malformed requests, and every refusal's form."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import get_resolver
from rest_framework.test import APIClient
from tests.models.mlflow_api.conftest import FILES

from accounts.models import Project, Scope, Token, User
from accounts.services import create_user, first_project
from mlflow_api import searching
from mlflow_api.api import refused
from mlflow_api.urls import urlpatterns
from registry.models import Alias, Model, ModelVersion, Promotion, Run

pytestmark = [pytest.mark.django_db, pytest.mark.production]
AT = "/api/2.0/mlflow/"
FILE = "/api/2.0/mlflow-artifacts/artifacts"
READ: list[tuple[str, str, dict[str, Any]]] = [
    ("GET", "registered-models/search", {}),
    ("GET", "registered-models/get", {"name": "digits-cnn"}),
    ("GET", "registered-models/get-latest-versions", {"name": "digits-cnn"}),
    ("POST", "registered-models/get-latest-versions", {"name": "digits-cnn"}),
    ("GET", "registered-models/alias", {"name": "digits-cnn", "alias": "production"}),
    ("GET", "model-versions/search", {"filter": "name = 'digits-cnn'"}),
    ("GET", "model-versions/get", {"name": "digits-cnn", "version": "1"}),
    ("GET", "model-versions/get-download-uri", {"name": "digits-cnn", "version": "1"}),
    ("GET", "experiments/search", {}),
    ("POST", "experiments/search", {}),
    ("GET", "experiments/get", {"experiment_id": "MODEL"}),
    ("GET", "experiments/get-by-name", {"experiment_name": "digits-cnn"}),
    ("POST", "runs/search", {"experiment_ids": ["MODEL"]}),
    ("POST", "logged-models/search", {"experiment_ids": ["MODEL"]}),
    ("GET", "runs/get", {"run_id": "RUN"}),
    ("GET", "metrics/get-history", {"run_id": "RUN", "metric_key": "loss"}),
    ("GET", "-artifacts/artifacts", {"path": "models/digits-cnn/1"}),
    ("GET", "-artifacts/artifacts", {"path": "runs/RUN"}),
    ("GET", "-artifacts/artifacts/models/digits-cnn/1/model.onnx", {}),
    ("GET", "-artifacts/artifacts/runs/RUN/MLmodel", {}),
]
CHANGE: list[tuple[str, str, dict[str, Any]]] = [
    ("PATCH", "registered-models/update", {"name": "digits-cnn", "description": "mine"}),
    ("PATCH", "model-versions/update", {"name": "digits-cnn", "version": "1", "description": "mine"}),
    ("POST", "registered-models/alias", {"name": "digits-cnn", "alias": "staging", "version": "1"}),
    ("DELETE", "registered-models/alias", {"name": "digits-cnn", "alias": "production"}),
]
LISTS = {"registered-models/search", "model-versions/search", "experiments/search"}


@pytest.fixture
def known(with_files: Any, run_with: Any) -> ModelVersion:
    """A version in production, and the run that made it."""
    version: ModelVersion = with_files(run=run_with(losses=(0.5,)))
    Alias.objects.create(model=version.model, name="production", version=version)
    return version


def call(client: Client, method: str, name: str, fields: dict[str, Any], version: ModelVersion) -> Any:
    text = json.dumps([name, fields]).replace("MODEL", str(version.model_id)).replace("RUN", str(version.run_id))
    name, fields = json.loads(text)
    address = f"/api/2.0/mlflow{name}" if name.startswith("-") else AT + name
    if method == "GET":
        return client.get(address, fields)
    return client.generic(method, address, json.dumps(fields), content_type="application/json")


def is_refusal(answer: Any) -> bool:
    told = answer.json()
    return set(told) == {"error_code", "message"} and all(isinstance(one, str) and one for one in told.values())


def test_every_operation_is_in_these_tests() -> None:
    """A new one needs a line here."""
    named = {f"/api/2.0/mlflow{name}" if name.startswith("-") else AT + name for _, name, _ in (*READ, *CHANGE)}
    at = get_resolver()
    reached = {at.resolve(address).route for address in named}
    ways = {f"api/2.0/mlflow/{name}" for name in refused.WAYS}
    create = {"api/2.0/mlflow/registered-models/create"}
    rest = {str(one.pattern) for one in urlpatterns} - reached - ways - create
    assert [one for one in rest if "<path:rest>" not in one] == []


def test_its_own_people_read_all_of_it(known: ModelVersion, api_of: Callable[[User], APIClient]) -> None:
    client = api_of(create_user("vera", role="viewer", project=first_project())[0])
    for operation in READ:
        answer = call(client, *operation, known)
        assert answer.status_code == 200, (operation, answer.content)


@pytest.mark.parametrize("who", ["somebody of another project", "an owner's token for another project"])
def test_who_is_in_another_project_learns_of_nothing(
    known: ModelVersion, alice: User, api_of: Callable[[User], APIClient], who: str
) -> None:
    elsewhere = Project.objects.create(name="elsewhere")
    if who.startswith("somebody"):
        client = api_of(create_user("eve", role="owner", project=elsewhere)[0])
    else:
        client = APIClient()
        secret = Token.objects.issue(alice, "for one", project=elsewhere)[1]
        client.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    for method, name, fields in (*READ, *CHANGE):
        answer = call(client, method, name, fields, known)
        if name in LISTS:
            assert list(answer.json().values()) == [[]], (name, answer.content)
        else:
            assert (answer.status_code, is_refusal(answer)) == (404, True), (name, answer.content)
            assert answer.json()["error_code"] == "RESOURCE_DOES_NOT_EXIST"
    assert not Promotion.objects.exists()


def test_annotators_and_strangers_read_nothing(
    known: ModelVersion, client: Client, api_of: Callable[[User], APIClient]
) -> None:
    ann = api_of(create_user("ann", role="annotator", project=first_project())[0])
    for operation in (*READ, *CHANGE):
        for who, status, code in ((client, 401, "UNAUTHENTICATED"), (ann, 403, "PERMISSION_DENIED")):
            answer = call(who, *operation, known)
            assert (answer.status_code, answer.json()["error_code"]) == (status, code), operation
            assert is_refusal(answer)


def test_readers_change_nothing(known: ModelVersion, api_of: Callable[[User], APIClient], alice: User) -> None:
    viewer = api_of(create_user("vera", role="viewer", project=first_project())[0])
    reader = APIClient()
    secret = Token.objects.issue(alice, "reads", scope=Scope.READ)[1]
    reader.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    for operation in CHANGE:
        assert {call(who, *operation, known).status_code for who in (viewer, reader)} == {403}
    assert {call(reader, *operation, known).status_code for operation in READ} == {200}


def test_nothing_archived_is_changed(known: ModelVersion, api: APIClient) -> None:
    assert api.post("/models/digits-cnn/archive").status_code == 200
    assert api.get(AT + "registered-models/search").json() == {"registered_models": []}
    assert api.post(AT + "experiments/search", {"view_type": "DELETED_ONLY"}, format="json").json()["experiments"]
    for method, name, fields in CHANGE[:3]:
        answer = call(api, method, name, fields, known)
        assert (answer.status_code, "archived" in answer.json()["message"]) == (409, True)


WRONG: list[Any] = ["", None, [], {}, 0, -1, 10**30, "x" * 5000, "a\0b", "'; --", True, ["a"], {"a": 1}]


@pytest.mark.parametrize("wrong", WRONG, ids=lambda value: repr(value)[:20])
def test_nothing_that_is_sent_is_our_fault(known: ModelVersion, api: APIClient, wrong: Any) -> None:
    for method, name, fields in (*READ, *CHANGE):
        extra = ("max_results", "page_token", "filter", "order_by", "view_type") if "search" in name else ()
        for field in (*fields, *extra):
            if method == "GET" and not isinstance(wrong, str | int):
                continue
            told = fields | {
                field: wrong.encode("utf-8", "replace").decode()
                if method == "GET" and isinstance(wrong, str)
                else wrong
            }
            answer = call(api, method, name, told, known)
            assert answer.status_code < 500, (name, field, wrong)
            assert answer.status_code == 200 or is_refusal(answer), (name, field, answer.content)


@pytest.mark.parametrize("body", ["[]", "null", "{", '"x"', "1", '{"a":1,"a":2}', "[" * 500])
def test_a_body_that_is_no_object_is_refused(known: ModelVersion, api: APIClient, body: str) -> None:
    for method, name, _ in (*READ, *CHANGE):
        if method != "GET":
            answer: Any = api.generic(method, AT + name, body, content_type="application/json")
            assert answer.status_code == 400, (name, answer.content)
            assert is_refusal(answer)
    answer = api.generic("POST", AT + "runs/search", "a=b", content_type="text/plain")
    assert (answer.status_code, is_refusal(answer)) == (415, True)


@pytest.mark.parametrize(
    "text",
    ["name", "name =", "name = 'a' OR name = 'b'", "name = 'a' name = 'b'", "name = 1", "name LIKE ('a')",
     "name IN 'a'", "name IN ()", "(", "name = 'a' AND", "what.ever = 'x'", "version_number LIKE '1'", "run_id > 3",
     "run_id LIKE '1'", "source_path = 'x'", "tags.nothing = 'x'", "name = 'it''s'",
     "version_number > 1e999 AND name > 'a'", " AND ".join(["name = 'a'"] * 31)],
)  # fmt: skip
def test_a_filter_that_can_t_be_kept_is_refused(known: ModelVersion, api: APIClient, text: str) -> None:
    answer = api.get(AT + "model-versions/search", {"filter": text})
    assert (answer.status_code, answer.json().get("error_code")) == (400, "INVALID_PARAMETER_VALUE"), answer.content
    assert answer.json()["message"].startswith("filter: ")


@pytest.mark.parametrize(
    ("text", "count"),
    [("", 1), ("version_number >= 1", 1), ("version_number > 1e30", 0), ("version_number != 1", 0),
     ("run_id = '999999999999999999'", 0), ("run_id NOT IN ('x')", 1), ("run_id = 'x'", 0), ("name LIKE 'digits%'", 1),
     ("name ILIKE '%CNN'", 1), ("name LIKE '%CNN'", 0), ("name LIKE 'd_gits-c%n'", 1), ("name LIKE 'digits-cnn%n'", 0),
     ("name IN ('digits-cnn', 'x')", 1), ("name != 'x' and tag.dataset = 'digits'", 1), ("tags.sha256 != 'x'", 1),
     ("tags.`mlflow.prompt.is_prompt` != 'true'", 1), ("tags.`mlflow.prompt.is_prompt` = 'true'", 0),
     ("version_number > 0.5", 1)],
)  # fmt: skip
def test_a_filter_of_versions(known: ModelVersion, api: APIClient, text: str, count: int) -> None:
    answer = api.get(AT + "model-versions/search", {"filter": text})
    assert answer.status_code == 200, answer.content
    assert len(answer.json()["model_versions"]) == count


@pytest.mark.parametrize(
    ("text", "seeds"),
    [("metrics.loss < 0.3", [2]), ("metrics.loss != 0.5", [2]), ("metrics.`test_accuracy` > 0.5", [1]),
     ("params.seed = '2'", [2]), ("params.recipe.steps = '20'", [2, 1]), ("params.nothing != 'x'", []),
     ("tags.model_version = '1'", [1]), ("run_name LIKE 'small%'", [2, 1]), ("user_id = 'alice'", [2, 1]),
     ("start_time > 0", [2, 1]), ("created < 1000", []), ("status IN ('FINISHED')", [1]),
     ("status != 'FINISHED'", [2])],
)  # fmt: skip
def test_a_filter_of_runs(known: ModelVersion, run_with: Any, api: APIClient, text: str, seeds: list[int]) -> None:
    assert known.run is not None
    Run.objects.filter(pk=known.run.pk).update(seed=1)
    run_with("failed", losses=(0.2,), seed=2)
    body = {"experiment_ids": [str(known.model_id)], "filter": text}
    answer = api.post(AT + "runs/search", body, format="json")
    assert answer.status_code == 200, answer.content
    params = [{one["key"]: one["value"] for one in run["data"]["params"]} for run in answer.json()["runs"]]
    assert [int(one["seed"]) for one in params] == seeds


@pytest.mark.parametrize(
    "fields",
    [{"filter": "status = 'DONE'"}, {"filter": "end_time > 3"}, {"filter": "start_time > 1e300"},
     {"filter": "metrics.loss = 'x'"}, {"filter": "params.seed > 3"}, {"order_by": ["end_time"]},
     {"order_by": ["a b c"]}, {"order_by": ["datasets.name"]}, {"page_token": "x"}, {"max_results": 0},
     {"run_view_type": "SOME"}, {"experiment_ids": "1"}, {"order_by": ["metrics.loss", "end_time"]}],
)  # fmt: skip
def test_a_search_of_runs_that_can_t_be_kept_is_refused(
    known: ModelVersion, api: APIClient, fields: dict[str, Any]
) -> None:
    answer = api.post(AT + "runs/search", {"experiment_ids": [str(known.model_id)]} | fields, format="json")
    assert (answer.status_code, answer.json()["error_code"]) == (400, "INVALID_PARAMETER_VALUE"), answer.content
    assert next(iter(fields)) in answer.json()["message"]


def test_no_search_looks_at_more_runs_than_it_can(
    known: ModelVersion, run_with: Any, api: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_with("failed")
    monkeypatch.setattr(searching, "MOST_RUNS", 1)
    experiment = {"experiment_ids": [str(known.model_id)]}
    for more in ({"filter": "metrics.loss > 0"}, {"order_by": ["metrics.loss"]}):
        answer = api.post(AT + "runs/search", experiment | more, format="json")
        assert (answer.status_code, "more than 1 runs" in answer.json()["message"]) == (400, True)
    narrowed = experiment | {"filter": "metrics.loss > 0 AND status = 'FINISHED'"}
    assert len(api.post(AT + "runs/search", narrowed, format="json").json()["runs"]) == 1


def test_a_page_token_is_good_for_its_own_search(known: ModelVersion, run_with: Any, api: APIClient) -> None:
    run_with()
    body = {"experiment_ids": [str(known.model_id)], "max_results": 1}
    token = api.post(AT + "runs/search", body, format="json").json()["next_page_token"]
    assert api.post(AT + "runs/search", body | {"page_token": token}, format="json").status_code == 200
    other = body | {"page_token": token, "filter": "status = 'FINISHED'"}
    assert "page_token" in api.post(AT + "runs/search", other, format="json").json()["message"]


@pytest.mark.parametrize("order", [["name ASC"], ["name DESC"], ["creation_timestamp ASC"], []])
def test_pages_of_models(model: Model, alice: User, api: APIClient, order: list[str]) -> None:
    for name in ("b", "a", "c"):
        values = {"task": "classification", "classes": ["0"], "created_by": alice, "project": model.project}
        Model.objects.create(name=name, **values)
    seen: list[str] = []
    token = ""
    while token or not seen:
        asked: Any = {"max_results": 1, "order_by": order, "page_token": token}
        told = api.get(AT + "registered-models/search", asked).json()
        seen += [one["name"] for one in told["registered_models"]]
        token = told.get("next_page_token", "")
    by_age = ["digits-cnn", "b", "a", "c"]
    wanted = by_age if order == ["creation_timestamp ASC"] else sorted(by_age, reverse=order == ["name DESC"])
    assert seen == wanted


@pytest.mark.parametrize(
    "path",
    ["models/digits-cnn/1/../1/model.onnx", "models/digits-cnn/1/%2e%2e/model.onnx", "models/digits-cnn/1/%252e%252e",
     "models/digits-cnn/1//etc/passwd", "..%2f..%2fetc%2fpasswd", "models/digits-cnn/1/a%5cb", "models/digits-cnn",
     "models/digits-cnn/1/.%00", "other/1", "%2fetc%2fpasswd", "models/digits-cnn/1/./model.onnx"],
)  # fmt: skip
def test_no_path_leads_out(known: ModelVersion, api: APIClient, path: str) -> None:
    answer: Any = api.get(f"{FILE}/{path}")
    assert (answer.status_code, answer.json()["error_code"]) == (400, "INVALID_PARAMETER_VALUE"), answer.content
    listed = api.get(f"{FILE}?path={path}")
    assert listed.status_code == 400, listed.content


def test_files_that_are_not_there_are_said_not_to_be(known: ModelVersion, api: APIClient, run_with: Any) -> None:
    without = run_with("running")
    for path in ("models/digits-cnn/1/nothing", "models/digits-cnn/7/model.onnx", "models/x/1/model.onnx",
                 "runs/x/a", f"runs/{without.pk}/model.onnx", "models/digits-cnn/1",
                 "models/digits-cnn/1/tensorboard"):  # fmt: skip
        answer: Any = api.get(f"{FILE}/{path}")
        assert (answer.status_code, answer.json()["error_code"]) == (404, "RESOURCE_DOES_NOT_EXIST"), path
    assert api.get(f"{FILE}?path=runs/{without.pk}").json() == {"files": []}
    assert "model.onnx" in api.get(f"{FILE}/models/digits-cnn/1/nothing").json()["message"]


def test_a_part_of_a_file(known: ModelVersion, api: APIClient) -> None:
    address, whole = f"{FILE}/models/digits-cnn/1/model.onnx", FILES["model.onnx"]
    all_of_it: Any = api.get(address)
    assert b"".join(all_of_it.streaming_content) == whole
    part: Any = api.get(address, HTTP_RANGE="bytes=10-19")
    assert (part.status_code, b"".join(part.streaming_content)) == (206, whole[10:20])
    assert part["Content-Range"] == f"bytes 10-19/{len(whole)}"
    behind: Any = api.get(address, HTTP_RANGE=f"bytes={len(whole)}-")
    assert (behind.status_code, is_refusal(behind)) == (416, True)


@pytest.mark.parametrize("method", ["GET", "POST", "PUT", "PATCH", "DELETE"])
@pytest.mark.parametrize("name", ["mlflow/traces", "mlflow/gateway-proxy", "mlflow-artifacts/mpu/create/x"])
def test_an_operation_that_is_not_there_is_named(api: APIClient, method: str, name: str) -> None:
    answer: Any = api.generic(method, f"/api/2.0/{name}")
    assert (answer.status_code, answer.json()["error_code"]) == (404, "ENDPOINT_NOT_FOUND")
    assert f"/api/2.0/{name}" in answer.json()["message"]


def test_an_unknown_field_of_a_newer_client_is_no_fault(known: ModelVersion, api: APIClient) -> None:
    assert api.get(AT + "runs/get", {"run_id": str(known.run_id), "run_uuid": "1", "new": "x"}).status_code == 200


def test_a_search_costs_no_more_for_more(
    known: ModelVersion, run_with: Any, with_files: Any, api: APIClient, django_assert_max_num_queries: Any
) -> None:
    """As many queries for many runs, versions and models as for few."""
    for _ in range(6):
        with_files(run=run_with(losses=(0.1,)))
    with django_assert_max_num_queries(25):
        api.get(AT + "registered-models/search")
        api.get(AT + "model-versions/search")
    with django_assert_max_num_queries(25):
        found = api.post(AT + "runs/search", {"experiment_ids": [str(known.model_id)]}, format="json")
    assert len(found.json()["runs"]) == 7
