"""Clones of a dataset that has another name now."""

import pytest
from rest_framework.test import APIClient
from tests.datasets.conftest import png
from tests.datasets.publishing.conftest import Clients, commit, files_below

from publishing.models import Publication

pytestmark = pytest.mark.usefixtures("pets")


@pytest.mark.clock
def test_a_clone_made_before_goes_on_and_the_old_address_clones_as_well(clients: Clients, api: APIClient) -> None:
    clients.git("clone", "-q", clients.repository("pets"), "before")
    commits = list(Publication.objects.order_by("number").values_list("commit", flat=True))
    assert api.patch("/datasets/pets", {"name": "animals"}, format="json").status_code == 200
    commit(api, {"c.png": png(3)}, name="animals")
    assert list(Publication.objects.order_by("number").values_list("commit", flat=True))[:2] == commits
    clients.dvc("pull", at="before")
    clients.git("pull", "-q", "--ff-only", at="before")
    clients.dvc("pull", at="before")
    clients.git("clone", "-q", clients.repository("animals"), "after")
    clients.dvc("pull", at="after")
    found = files_below(clients.folder / "before/data")
    assert sorted(found) == ["a/1.png", "b.png", "c.png"]
    assert files_below(clients.folder / "after/data") == found
