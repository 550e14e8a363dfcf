"""A webhook: who holds its secret starts a round, once; nobody else learns anything."""

import pytest
from rest_framework.test import APIClient
from tests.mining.pipelines.turning import make, newest, shown

from pipelines import hooks
from pipelines.models import Pipeline, Round

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.production]


@pytest.fixture
def secret(api, truth) -> str:
    make(api)
    answer = api.post("/pipelines/loop/webhook")
    assert answer.status_code == 201
    assert answer.json()["url"] == shown(api)["webhook_url"]
    told: str = answer.json()["secret"]
    return told


def call(secret: str, *, key: str | None = None, pk: int | None = None):
    pipeline = Pipeline.objects.first()
    headers = {"X-Motherlode-Secret": secret} | ({"Idempotency-Key": key} if key else {})
    return APIClient(headers=headers).post(f"/hooks/pipelines/{pk or (pipeline and pipeline.pk)}")


def test_it_starts_a_round_and_a_second_call_none(api, secret):
    first = call(secret)
    assert (first.status_code, first.json()) == (202, {"round": 1, "started": True})
    assert call(secret).json() == {"round": 1, "started": False}
    assert Round.objects.count() == 1
    assert newest(api)["trigger"]["what"] == "webhook"


def test_the_same_call_after_the_round_has_ended_is_known_by_its_key(api, secret):
    assert call(secret, key="push-1").json()["started"]
    api.post("/pipelines/loop/rounds/cancel")
    again = call(secret, key="push-1")
    assert (again.json()["started"], again["Idempotency-Replayed"]) == (True, "true")
    assert Round.objects.count() == 1


def test_a_stranger_learns_nothing(api, secret):
    said = {call("mlh_guess").content, call("").content, call(secret, pk=10**6).content}
    assert len(said) == 1
    assert call("").status_code == 401
    assert Round.objects.count() == 0


def test_a_new_secret_ends_the_old_one_and_only_a_digest_is_kept(api, secret):
    new = api.post("/pipelines/loop/webhook").json()["secret"]
    assert call(secret).status_code == 401
    assert call(new).status_code == 202
    assert new not in str(Pipeline.objects.values().get())


def test_the_old_secret_gets_no_first_answer_again(api, secret):
    assert call(secret, key="push-1").json()["started"]
    api.post("/pipelines/loop/webhook")
    again = call(secret, key="push-1")
    assert (again.status_code, "Idempotency-Replayed" in again) == (401, False)


def test_an_annotator_makes_no_new_secret(bobs_api, secret):
    answer = bobs_api.post("/pipelines/loop/webhook")
    assert (answer.status_code, answer.json()["code"]) == (403, "engineers_only")
    assert call(secret).status_code == 202


def test_a_webhook_that_is_switched_off_is_closed(api, secret):
    api.patch("/pipelines/loop", {"trigger": {}}, format="json")
    assert call(secret).status_code == 401
    assert shown(api)["webhook_url"] is None


def test_too_many_calls_are_told_to_wait(api, secret, monkeypatch):
    monkeypatch.setattr(hooks, "CALLS", 2)
    codes = [call(secret) for _ in range(3)]
    assert [answer.status_code for answer in codes] == [202, 202, 429]
    assert 0 < int(codes[-1]["Retry-After"]) <= 60
    assert codes[-1].json()["code"] == "throttled"


def test_a_paused_pipeline_says_so(api, secret):
    api.post("/pipelines/loop/pause")
    assert (call(secret).status_code, call(secret).json()["code"]) == (409, "pipeline_paused")
