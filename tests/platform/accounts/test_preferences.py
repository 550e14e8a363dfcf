"""`/session/preferences`: each their own, JSON as it was put."""

from collections.abc import Callable

import pytest
from rest_framework.test import APIClient

from accounts.models import User
from accounts.preferences import MAX_BYTES

pytestmark = pytest.mark.django_db


def test_they_are_kept_for_each_person(api: APIClient, api_of: Callable[[User], APIClient], bob: User) -> None:
    assert api.get("/session/preferences").json() == {}
    mine = {"theme": "dark", "keymap": {"classify": {"accept": "a"}}, "single_letters": False}
    assert api.put("/session/preferences", mine, format="json").json() == mine
    assert api.get("/session/preferences").json() == mine == api.get("/session").json()["preferences"]
    assert api_of(bob).get("/session/preferences").json() == {}
    assert api.put("/session/preferences", {"theme": "light"}, format="json").status_code == 200
    assert api.get("/session/preferences").json() == {"theme": "light"}


@pytest.mark.parametrize("body", [[], "dark", 1, {"a": "x" * MAX_BYTES}, {"a\u0000": 1}, {"a": ["\u0000"]}])
def test_anything_else_than_a_small_object_is_refused(api: APIClient, body: object) -> None:
    api.put("/session/preferences", {"theme": "dark"}, format="json")
    answer = api.put("/session/preferences", body, format="json")
    assert answer.status_code == 400
    assert api.get("/session/preferences").json() == {"theme": "dark"}


def test_what_just_fits_is_kept(api: APIClient) -> None:
    body = {"a": "x" * (MAX_BYTES - len('{"a":""}'))}
    assert api.put("/session/preferences", body, format="json").status_code == 200
