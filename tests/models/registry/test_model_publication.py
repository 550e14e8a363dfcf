"""Model versions are commits too: the ONNX file and its report, fetched by stock DVC."""

import httpx
import pytest
from rest_framework.test import APIClient
from tests.datasets.publishing.conftest import Clients, clients, drain, files_below  # noqa: F401 - fixtures

from blobs.services import keep_bytes
from registry.models import Alias, Artifact, ModelVersion
from registry.services import version_registered

pytestmark = pytest.mark.production

FILES = {"model.onnx": b"not really", "report.json": b"{}"}


@pytest.fixture
def published(clients: Clients, version_with) -> ModelVersion:  # noqa: F811 - a fixture's name
    version: ModelVersion = version_with(0.9)
    for path, content in FILES.items():
        Artifact.objects.create(version=version, path=path, blob=keep_bytes(content, media_type="x/y"))
    version_registered.send(ModelVersion, version=version)
    drain()
    return version


def test_dvc_gets_a_model_version(clients: Clients, published: ModelVersion, api: APIClient) -> None:  # noqa: F811 - as above
    url = clients.repository("digits-cnn", kind="models")
    Alias.objects.create(model=published.model, name="production", version=published)
    for rev in ("v1", "production"):
        clients.dvc("get", url, "model", "--rev", rev, "-o", rev)
        assert files_below(clients.folder / rev) == FILES
    clients.dvc("get", url, "model/model.onnx", "-o", "found.onnx")
    assert (clients.folder / "found.onnx").read_bytes() == FILES["model.onnx"]
    assert api.get("/models/digits-cnn/accesses").json()["results"]


def test_nothing_is_pushed_into_a_model(clients: Clients, published: ModelVersion) -> None:  # noqa: F811 - as above
    address = f"{clients.url}/dvc/models/digits-cnn/files/md5/00/{'0' * 30}"
    answer = httpx.put(address, content=b"x", headers={"X-Motherlode-Token": clients.token})
    assert (answer.status_code, answer.json()["code"]) == (403, "read_only")
