"""Who is in no project of a thing learns nothing of it: every address of it answers as if it were not there, no list
shows it, and no body that names it does anything."""

import hashlib
from collections.abc import Callable, Iterator
from typing import Any

import orjson
import pytest
from django.apps import apps
from drf_spectacular.generators import SchemaGenerator
from rest_framework.test import APIClient
from tests.datasets.conftest import png
from tests.platform.accounts.world import CLASSES, World, world

from accounts.models import Project, Token, User
from accounts.services import create_user, first_project
from blobs.store import BlobStore
from publishing.models import Repository

pytestmark = pytest.mark.django_db
SECRET = "zebra"
OTHERS = {"/people/{", "/hooks/"}
INSIDE = {
    "kind": "added", "name": "gold", "upload": "a" * 32, "number": "1", "version": "1", "path": "model.onnx",
    "layer": "x", "word": "x", "rank": "1", "step": "1", "person": "alice",
}  # fmt: skip
"""What further parameters of an address are; those that another thing's id stands for are in the world."""
BODIES: dict[str, dict[str, Any]] = {
    "tasks_answer": {"value": {"class": "cat"}, "seconds": 1},
    "tasks_comment": {"text": "mine"},
    "comments_change": {"resolved": True},
    "tasks_flag": {"note": "mine"},
    "reviews_decide": {"value": {"class": "cat"}},
    "runs_change": {"notes": "mine"},
    "projects_set_member": {"role": "owner"},
    "projects_change": {"description": "mine"},
    "erasures_start": {"keys": [f"{SECRET}.png"], "reason": "mine", "confirm": f"{SECRET}-pets"},
}
QUERIES = {"models_compare": "?a=1&b=2"}


@pytest.fixture
def there(alice: User, object_store: BlobStore) -> World:
    """All that the first project holds."""
    return world(first_project(), alice, SECRET, png=png())


@pytest.fixture
def eve(there: World) -> User:
    """Owns another project."""
    return create_user("eve", role="owner", project=Project.objects.create(name="elsewhere"))[0]


@pytest.fixture(params=["somebody of another project", "an owner's token for another project"])
def outside(request: Any, eve: User, alice: User, api_of: Callable[[User], APIClient]) -> APIClient:
    """Whoever has no right here."""
    if request.param.startswith("somebody"):
        return api_of(eve)
    client = APIClient()
    _, secret = Token.objects.issue(alice, "for one", project=Project.objects.get(name="elsewhere"))
    client.credentials(HTTP_AUTHORIZATION=f"Bearer {secret}")
    return client


def addresses(known: World) -> Iterator[tuple[str, str, str]]:
    """(operation, method, address) of all that names a thing."""
    schema: Any = SchemaGenerator().get_schema(request=None, public=True)
    for path, methods in schema["paths"].items():
        if "{" in path and not any(path.startswith(other) for other in OTHERS):
            for method, operation in methods.items():
                name = operation["operationId"]
                yield name, method.upper(), _filled(path, known) + QUERIES.get(name, "")


def _filled(path: str, known: World) -> str:
    parts = path.split("/")
    beginning = path.partition("/{")[0]
    filled: list[str] = []
    for at, part in enumerate(parts):
        if not part.startswith("{"):
            filled.append(part)
        elif "/".join(parts[:at]) == beginning:
            filled.append(str(known.ids[beginning]))
        else:
            name = part.strip("{}").partition("}")[0]
            filled.append(str(known.ids.get(parts[at - 1]) or known.ids.get(name) or INSIDE[name]))
    return "/".join(filled)


def state() -> str:
    """A digest of every row there is, but what a request leaves of its own: claims of keys, and who was seen when."""
    digest = hashlib.sha256()
    for model in sorted(apps.get_models(), key=lambda one: one._meta.label):
        if model._meta.label not in {"core.IdempotencyRecord", "accounts.Token", "accounts.User", "sessions.Session"}:
            digest.update(repr((model._meta.label, sorted(map(repr, model._base_manager.values_list())))).encode())
    return digest.hexdigest()


def call(client: APIClient, operation: str, method: str, address: str) -> Any:
    body = orjson.dumps(BODIES.get(operation, {})).decode()
    return client.generic(method, address, body, content_type="application/json")


def test_every_address_of_a_thing_of_others_answers_as_if_it_were_not_there(there: World, outside: APIClient) -> None:
    client, before, wrong = outside, state(), []
    for operation, method, address in addresses(there):
        answer = call(client, operation, method, address)
        hidden = answer.status_code == 404 or answer.json()["code"] == "owners_only"  # of the platform: for nobody else
        if not hidden or (SECRET in answer.content.decode() and SECRET not in address):
            wrong.append((operation, address, answer.status_code, answer.content[:200]))
    assert wrong == []
    assert state() == before


def test_its_own_people_meet_all_of_it(there: World, api_of: Callable[[User], APIClient]) -> None:
    """Else the walls would stand anywhere: 404 is not the answer to everything."""
    client = api_of(create_user("olga", role="owner", project=there.project)[0])
    read = [(operation, address) for operation, method, address in addresses(there) if method == "GET"]
    unknown = {
        "models_compare",
        "exports_archive",
        "maps_points",
        "mining_histogram",
        "archives_get",
        "layers_list",
        "layers_weights",
        "lake_bytes_get",
        "lake_thumbs_get",
    }
    for operation, address in read:
        answer = client.get(address)
        assert answer.status_code != 403, (operation, answer.json())
        if operation not in unknown and "accesses" not in operation:
            assert answer.status_code in {200, 400, 409}, (operation, address, answer.content[:200])


def test_no_list_shows_what_is_elsewhere(there: World, outside: APIClient) -> None:
    schema: Any = SchemaGenerator().get_schema(request=None, public=True)
    client, shown = outside, []
    for path, methods in schema["paths"].items():
        if "get" in methods and "{" not in path:
            answer = client.get(path)
            if SECRET in b"".join(answer).decode(errors="replace"):
                shown.append(path)
    assert shown == []
    for path in ("/datasets", "/models", "/labeling/queues", "/pipelines", "/backtests", "/sweeps", "/runs", "/jobs",
                 "/encoders", "/mining/jobs", "/lifecycle/events", "/labeling/comments",
                 "/labeling/reviews", "/labeling/waiting"):  # fmt: skip
        assert client.get(path).json()["results"] == [], path
    assert client.get("/runs/table").json()["runs"] == []
    assert [row["name"] for row in client.get("/projects").json()["results"]] == ["elsewhere"]
    assert {row["username"] for row in client.get("/people").json()["results"]} == {"eve", "alice"}


def test_who_shares_one_project_with_somebody_learns_of_no_other(
    there: World, eve: User, rita: User, api: APIClient, api_of: Callable[[User], APIClient]
) -> None:
    api.put(f"/projects/{there.project.pk}/members/eve", {"role": "viewer"}, format="json")
    client = api_of(rita)
    shown = next(row for row in client.get("/people").json()["results"] if row["username"] == "eve")
    assert (shown["role"], shown["projects"]) == ("viewer", [{"project": "default", "role": "viewer"}])
    assert client.get("/people/eve").json()["projects"] == shown["projects"]
    assert len(api_of(eve).get("/session").json()["user"]["projects"]) == 2


def test_no_body_that_names_it_does_anything(there: World, outside: APIClient) -> None:
    client = outside
    own = {"classes": CLASSES, "task": "classification"}
    assert client.post("/datasets", own | {"name": "mine"}, format="json").json()["project"] == "elsewhere"
    assert client.post("/models", own | {"name": "my-model"}, format="json").json()["project"] == "elsewhere"
    before = state()
    dataset, model = there.dataset.name, there.model.name
    calls: list[tuple[str, dict[str, Any]]] = [
        ("/datasets", own | {"name": "another", "project": there.project.name}),
        ("/models", own | {"name": "another", "project": there.project.name}),
        ("/labeling/queues", {"name": "q", "dataset": dataset}),
        ("/runs", {"model": "my-model", "dataset": dataset, "architecture": "small_cnn"}),
        ("/runs", {"model": model, "dataset": "mine", "architecture": "small_cnn"}),
        ("/mining/jobs", {"dataset": dataset, "model": f"{model}@1", "strategy": "margin", "count": 1}),
        ("/pipelines", {"name": "p", "dataset": dataset, "count": 1}),
        ("/backtests", {"dataset": dataset, "strategies": [{"name": "margin"}], "seeds": 2, "rounds": 1, "count": 1,
                        "start": 1, "learner": {"kind": "probe", "model": f"{model}@1"}}),
        ("/sweeps", {"dataset": dataset, "model": "my-model", "architecture": "small_cnn",
                     "space": {"seed": {"choices": [1]}}}),
        ("/sweeps", {"dataset": "mine", "model": model, "architecture": "small_cnn",
                     "space": {"seed": {"choices": [1]}}}),
        ("/datasets/mine/merges", {"from": dataset, "version": "1"}),
        ("/datasets/mine/maps", {"model": f"{model}@1", "method": "pca"}),
        (f"/datasets/{dataset}/lake/parts", {"archive": {"upload": "a" * 32}}),
        ("/datasets/mine/lake/parts", {"archive": {"upload": "a" * 32}}),
        ("/datasets/mine/lake/scans", {"model": f"{model}@1", "count": 1}),
        ("/datasets/mine/versions/head/embeddings", {"model": f"{model}@1"}),
        ("/datasets/mine/versions/head/embeddings", {"encoder": there.ids["/encoders"]}),
    ]  # fmt: skip
    for address, body in calls:
        answer = client.post(address, body, format="json")
        assert answer.status_code == 404, (address, body, answer.content)
    for address in (
        f"/forecast?pipeline={there.pipeline.name}&target=0.9",
        f"/datasets/mine/diff?from_dataset={dataset}",
        f"/labeling/people?queue={there.queue.name}",
        f"/labeling/comments?queue={there.queue.name}",
        f"/labeling/reviews?queue={there.queue.name}",
        f"/runs?model={model}",
        f"/sweeps?model={model}",
        f"/runs/table?model={model}",
        f"/datasets/mine/versions/head/similar?text=x&encoder={there.ids['/encoders']}",
    ):
        assert client.get(address).status_code == 404, address
    answer = client.get(f"/runs/compare?ids={there.ids['/runs']},{there.ids['/runs']}1")
    assert (answer.status_code, list(answer.json()["errors"])) == (400, ["ids"])
    assert b"".join(client.post("/blobs", {"digests": [there.ids["/blobs"]]}, format="json")).strip(b"\0") == b""
    assert state() == before


def test_git_and_dvc_know_of_nothing_elsewhere(there: World, outside: APIClient) -> None:
    Repository.objects.create(kind="datasets", name=there.dataset.name)
    client, name, head = outside, there.dataset.name, str(there.ids["/blobs"])
    for method, address in (
        ("GET", f"/datasets/{name}.git/info/refs?service=git-upload-pack"),
        ("POST", f"/datasets/{name}.git/git-upload-pack"),
        ("GET", f"/dvc/datasets/{name}/files/md5/{head[:2]}/{head[2:]}"),
        ("PUT", f"/dvc/datasets/{name}/files/md5/{head[:2]}/{head[2:]}"),
    ):
        assert client.generic(method, address, "x").status_code == 404, (method, address)


def test_mlflow_knows_of_nothing_elsewhere(there: World, outside: APIClient) -> None:
    """Every operation is called in tests/models/mlflow_api/test_protocol.py; here, what is found without a name."""
    client, at, model = outside, "/api/2.0/mlflow", there.model
    for name in ("registered-models", "model-versions", "experiments"):
        answer = client.get(f"{at}/{name}/search", {"filter": f"name = '{model.name}'"})
        assert (answer.status_code, list(answer.json().values())) == (200, [[]]), name
    answer = client.post(f"{at}/runs/search", {"experiment_ids": [str(model.pk)]}, format="json")
    assert (answer.status_code, SECRET in answer.content.decode()) == (404, False)
    answer = client.get(f"{at}/runs/get", {"run_id": str(there.ids["/runs"])})
    assert (answer.status_code, SECRET in answer.content.decode()) == (404, False)
    for path in (f"models/{model.pk}/1/model.onnx", f"runs/{there.ids['/runs']}/model.onnx"):
        answer = client.get(f"{at}-artifacts/artifacts/{path}")
        assert (answer.status_code, SECRET in answer.content.decode()) == (404, False), path


def test_a_model_and_a_dataset_of_two_projects_make_nothing(
    there: World, eve: User, alice: User, api: APIClient
) -> None:
    """Not even for who may do everything: what is made of both would be in neither."""
    own = {"classes": CLASSES, "task": "classification", "project": "elsewhere"}
    api.post("/models", own | {"name": "far"}, format="json")
    body = {"model": "far", "dataset": there.dataset.name, "architecture": "small_cnn"}
    answer = api.post("/runs", body, format="json")
    assert (answer.status_code, answer.json()["code"]) == (400, "projects_differ")
    named = api.post(
        "/pipelines", {"name": "p", "dataset": there.dataset.name, "model": "far", "count": 1}, format="json"
    )
    assert (named.status_code, named.json()["code"]) == (400, "projects_differ")
