"""`Idempotency-Key`: the same request twice is done once."""

from datetime import timedelta
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import OperationalError
from django.db.models.functions import Now
from django.test import RequestFactory
from django.urls import path
from rest_framework.parsers import MultiPartParser
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.test import APIClient
from rest_framework.views import APIView
from tests.threads import at_once

from accounts.models import Token
from core import idempotency
from core.idempotency import patience
from core.models import IdempotencyRecord
from core.rendering import OrjsonParser

done: list[Any] = []


class Orders(APIView):
    parser_classes = [OrjsonParser, MultiPartParser]

    def post(self, request: Request) -> Response:
        if request.data.get("bug"):
            raise ZeroDivisionError
        done.append({name: len(file.read()) for name, file in request.FILES.items()} or dict(request.data))
        return Response({"number": len(done)}, status=201)


urlpatterns = [path("orders", Orders.as_view())]
handler500 = "core.problems.handler"
pytestmark = [pytest.mark.django_db, pytest.mark.urls(__name__), pytest.mark.both]


@pytest.fixture(autouse=True)
def nothing_done() -> None:
    done.clear()


def order(api: APIClient, body: dict[str, Any], *, key: str = "k", **changes: Any) -> Any:
    return api.post("/orders", body, headers={"Idempotency-Key": key}, **{"format": "json"} | changes)


def test_the_same_request_gets_the_first_answer_again(api: APIClient) -> None:
    first, second = order(api, {"a": 1}), order(api, {"a": 1})
    assert (first.status_code, second.status_code, done) == (201, 201, [{"a": 1}])
    assert (second.content, second["Content-Type"]) == (first.content, first["Content-Type"])
    assert ("Idempotency-Replayed" in first, second["Idempotency-Replayed"]) == (False, "true")


def test_without_a_key_each_request_counts(api: APIClient) -> None:
    for _ in range(2):
        assert api.post("/orders", {"a": 1}, format="json").status_code == 201
    assert len(done) == 2


def test_another_body_under_the_same_key_is_refused(api: APIClient) -> None:
    order(api, {"a": 1})
    answer = order(api, {"a": 2})
    assert (answer.status_code, answer.json()["code"], len(done)) == (422, "idempotency_key_reused", 1)


def test_keys_of_different_callers_have_nothing_to_do_with_each_other(api: APIClient, evas_api: APIClient) -> None:
    assert order(api, {"a": 1}).json() == {"number": 1}
    assert order(evas_api, {"a": 1}).json() == {"number": 2}


def test_a_revoked_token_gets_no_first_answer_again(api: APIClient) -> None:
    assert order(api, {"a": 1}).status_code == 201
    Token.objects.all().delete()
    again = order(api, {"a": 1})
    assert (again.status_code, len(done)) == (401, 1)
    assert b"number" not in again.content
    both = {"Idempotency-Key": "k", "X-Motherlode-Secret": "anything"}
    assert api.post("/orders", {"a": 1}, format="json", headers=both).status_code == 401, (
        "a webhook's secret is not a pass"
    )


def test_while_the_first_is_under_way_the_second_waits(api: APIClient) -> None:
    order(api, {"a": 1})
    IdempotencyRecord.objects.update(status=0)
    answer = order(api, {"a": 1})
    assert (answer.status_code, answer.json()["code"], len(done)) == (409, "idempotency_in_progress", 1)


def test_a_first_request_that_never_came_back_frees_its_key(api: APIClient) -> None:
    order(api, {"a": 1})
    IdempotencyRecord.objects.update(status=0, created=Now() - timedelta(seconds=25))
    assert order(api, {"a": 1}).status_code == 201
    assert len(done) == 2


def test_an_upload_is_given_minutes_before_it_is_taken_for_dead() -> None:
    make = RequestFactory()
    assert patience(make.post("/orders", {"a": "1"})) == timedelta(minutes=10)
    assert patience(make.post("/orders", "{}", content_type="application/json")) == timedelta(seconds=20)


def test_our_own_failure_frees_the_key(api: APIClient) -> None:
    assert order(api, {"bug": True}).status_code == 500
    assert not IdempotencyRecord.objects.exists()


def test_work_that_is_done_is_told_though_its_answer_cannot_be_kept(
    api: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(*_: Any) -> None:
        raise OperationalError("database is locked")

    monkeypatch.setattr(idempotency, "save_fields", busy)
    answer = order(api, {"a": 1})
    assert (answer.status_code, answer.json(), len(done)) == (201, {"number": 1}, 1)


def test_a_stranger_leaves_no_record() -> None:
    assert order(APIClient(), {"a": 1}).status_code == 401
    refused = APIClient()
    refused.credentials(HTTP_AUTHORIZATION="Bearer ml_wrong")
    assert order(refused, {"a": 1}).status_code == 401
    assert not IdempotencyRecord.objects.exists()


@pytest.mark.parametrize("key", ["", "x" * 201, "tab\there"])
def test_a_key_that_cannot_be_kept_is_named(api: APIClient, key: str) -> None:
    answer = order(api, {"a": 1}, key=key)
    assert (answer.status_code, list(answer.json()["errors"])) == (400, ["Idempotency-Key"])


def test_files_are_part_of_the_request_and_reach_the_view_whole(api: APIClient) -> None:
    def upload(content: bytes) -> Any:
        return order(api, {"file": SimpleUploadedFile("a.png", content), "split": "pool"}, format="multipart")

    big = b"x" * (2 << 20)
    assert upload(big).json() == upload(big).json() == {"number": 1}
    assert done == [{"file": len(big)}]
    assert upload(b"y" + big[1:]).status_code == 422


def test_answers_are_forgotten_after_a_week(api: APIClient) -> None:
    order(api, {"a": 1}, key="old")
    IdempotencyRecord.objects.update(created=Now() - timedelta(days=8))
    order(api, {"a": 1}, key="new")
    assert idempotency.forget_old() == 1
    assert IdempotencyRecord.objects.get().key == "new"


@pytest.mark.django_db(transaction=True)
def test_of_eight_equal_requests_at_once_one_is_done(api: APIClient) -> None:
    answers = at_once(8, lambda _: order(api, {"a": 1}).status_code)
    assert len(done) == 1
    assert set(answers) <= {201, 409}
