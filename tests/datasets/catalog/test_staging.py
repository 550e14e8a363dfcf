"""Bytes before their commit: what is here, what arrived, one commit that names them."""

import hashlib
import io
import tarfile
import urllib.request
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

import orjson
import pytest
from django.db.models import F
from django.db.models.functions import Now
from rest_framework.test import APIClient
from tests.datasets.catalog.test_ingest_upload import tar_of
from tests.datasets.conftest import data, png, row_counts, sent
from tests.working import work_on

from accounts.models import Project, Role, User
from accounts.services import create_user
from blobs.services import keep_bytes
from blobs.store import BlobStore
from catalog.intake import listings, senders
from catalog.models import Dataset, Revision, SentBytes

pytestmark = [
    pytest.mark.usefixtures("object_store", "dataset"),
    pytest.mark.django_db(transaction=True),
    pytest.mark.both,
]


def md5(content: bytes) -> str:
    return hashlib.md5(content, usedforsecurity=False).hexdigest()


def stage(api: APIClient, members: dict[str, bytes]) -> Any:
    answer = api.post("/datasets/digits/uploads", {"archive": sent("a.tar", tar_of(members, "w"))})
    assert answer.status_code == 201, answer.json()
    return answer.json()


def listing(*lines: dict[str, Any]) -> Any:
    return sent("samples.jsonl", b"".join(orjson.dumps(line) + b"\n" for line in lines))


def label_of(row: Revision) -> Any:
    return row.label.value if row.label else None


def have(api: APIClient, *digests: str) -> Any:
    return api.post("/datasets/digits/have", {"digests": digests}, format="json").json()["missing"]


def test_what_was_staged_need_not_be_sent_and_is_committed_by_its_md5(api: APIClient) -> None:
    first, second = md5(png(1)), md5(png(2))
    assert have(api, first, second) == [first, second]
    answer = stage(api, {"cat/1.png": png(1), "cat/text.png": b"hello"})
    assert answer["results"] == [{"key": "cat/1.png", "md5": first}]
    assert [(item["key"], item["code"]) for item in answer["rejected"]] == [("cat/text.png", "not_an_image")]
    assert row_counts()["Version"] == 0
    assert have(api, first, second) == [second]
    stage(api, {"dog/2.png": png(2)})
    lines = listing({"key": "cat/1.png", "md5": first}, {"key": "dog/2.png", "md5": second, "split": "test"})
    done = api.post("/datasets/digits", {"samples": lines, "message": "a folder"}).json()
    assert (done["version"], done["added"], done["labelled"]) == (1, 2, 2)
    assert done["recognised"]["format"] == "image_folder"
    rows = {row.sample.key: row for row in Revision.objects.select_related("sample", "label")}
    assert rows["dog/2.png"].split == "test"
    assert label_of(rows["cat/1.png"]) == {"class": "cat"}


def test_a_commit_of_bytes_that_never_came_writes_nothing_and_names_them(api: APIClient) -> None:
    stage(api, {"1.png": png(1)})
    lines = listing({"key": "1.png", "md5": md5(png(1))}, {"key": "2.png", "md5": md5(png(2))})
    answer = api.post("/datasets/digits", {"samples": lines})
    assert (answer.status_code, answer.json()["code"]) == (409, "bytes_missing")
    assert answer.json()["missing"] == [md5(png(2))]
    body = {"samples": [{"key": "2.png", "md5": md5(png(2))}]}
    assert api.post("/datasets/digits", body, format="json").json()["code"] == "bytes_missing"
    assert row_counts()["Version"] == 0


def test_bytes_that_are_stored_but_are_no_image_can_not_be_named(api: APIClient) -> None:
    kept = keep_bytes(b"an archive, perhaps", media_type="application/octet-stream")
    assert have(api, kept.md5) == [kept.md5]
    body = {"samples": [{"key": "1.png", "md5": kept.md5}]}
    assert api.post("/datasets/digits", body, format="json").json()["code"] == "bytes_missing"


def test_a_listing_says_more_than_the_folders_and_removes(api: APIClient) -> None:
    stage(api, {f"cat/{number}.png": png(number) for number in range(3)})
    lines: list[dict[str, Any]] = [{"key": f"cat/{number}.png", "md5": md5(png(number))} for number in range(3)]
    lines[1] |= {"label": {"class": "dog"}, "meta": {"scene": 4}}
    assert api.post("/datasets/digits", {"samples": listing(*lines)}).json()["added"] == 3
    found = {row.sample.key: row for row in Revision.objects.select_related("sample", "label")}
    assert (label_of(found["cat/1.png"]), found["cat/1.png"].meta) == ({"class": "dog"}, {"scene": 4})
    more = listing({"key": "cat/0.png", "remove": True}, {"key": "cat/2.png", "label": {"class": "3"}})
    done = api.post("/datasets/digits", {"samples": more, "parent": "1"}).json()
    assert (done["version"], done["removed"], done["updated"]) == (2, 1, 1)


def test_a_long_listing_is_committed_by_a_job(api: APIClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listings, "AT_ONCE_LINES", 3)
    members = {f"cat/{number}.png": png(number) for number in range(5)}
    stage(api, members)
    lines = [{"key": key, "md5": md5(content)} for key, content in members.items()]
    answer = api.post("/datasets/digits", {"samples": listing(*lines), "message": "long"})
    assert answer.status_code == 202, answer.json()
    assert work_on(answer.json()["job"]["id"])
    job = api.get(answer.json()["job"]["url"]).json()
    assert (job["state"], job["result"]["added"], job["result"]["labelled"]) == ("succeeded", 5, 5), job
    assert (job["progress"]["done"], job["progress"]["total"]) == (5, 5)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (b"[1]\n", "line 1 needs a string `key`"),
        (b'{"key": "a"}\nnot json\n', "line 2 can't be read as JSON"),
        (b'{"key": "a", "md5": "../../x"}\n', "line 1 `md5` must be"),
        (b'{"key": "a", "md5": null}\n', "line 1 `md5` must be"),
        (b'{"key": "a", "split": "tomorrow"}\n', "line 1 `split` must be one of"),
        (b'{"key": "a", "label": "cat"}\n', "line 1 `label` must be"),
    ],
)
def test_a_faulty_line_is_named(api: APIClient, text: bytes, fault: str) -> None:
    answer = api.post("/datasets/digits", {"samples": sent("samples.jsonl", text)})
    assert (answer.status_code, answer.json()["code"]) == (400, "nothing_accepted")
    told = [item["detail"] for item in answer.json()["rejected"] if item["code"] == "line_malformed"]
    assert [fault in detail for detail in told] == [True]


FAULTY = b'not json\n{"key": "2.png", "split": "tomorrow"}\n'


def test_faulty_lines_are_listed_and_the_others_committed(api: APIClient) -> None:
    stage(api, {"1.png": png(1)})
    good = orjson.dumps({"key": "1.png", "md5": md5(png(1))}) + b"\n"
    strict = api.post("/datasets/digits", {"samples": sent("samples.jsonl", good + FAULTY), "strict": "true"})
    assert (strict.status_code, strict.json()["code"]) == (400, "not_all_accepted")
    assert row_counts()["Version"] == 0
    done = api.post("/datasets/digits", {"samples": sent("samples.jsonl", good + FAULTY)}).json()
    assert (done["version"], done["added"]) == (1, 1)
    assert [(item["key"], item["code"]) for item in done["rejected"]] == [
        ("samples, line 2", "line_malformed"), ("2.png", "line_malformed"),
    ]  # fmt: skip


def test_a_job_lists_faulty_lines_too(api: APIClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listings, "AT_ONCE_LINES", 1)
    stage(api, {"1.png": png(1)})
    text = FAULTY + orjson.dumps({"key": "1.png", "md5": md5(png(1))}) + b"\n"
    answer = api.post("/datasets/digits", {"samples": sent("samples.jsonl", text)})
    assert work_on(answer.json()["job"]["id"])
    result = api.get(answer.json()["job"]["url"]).json()["result"]
    assert (result["added"], [item["key"] for item in result["rejected"]]) == (1, ["samples, line 1", "2.png"])


def test_an_empty_listing_is_refused(api: APIClient) -> None:
    answer = api.post("/datasets/digits", {"samples": sent("samples.jsonl", b"\n")})
    assert (answer.status_code, answer.json()["code"]) == (400, "empty_upload")


def put(url: str, content: bytes) -> None:
    urllib.request.urlopen(urllib.request.Request(url, data=content, method="PUT")).close()  # noqa: S310 - our own server


def place(api: APIClient, size: int) -> Any:
    answer = api.post("/datasets/digits/uploads", {"presign": [{"size": size}]}, format="json")
    assert answer.status_code == 201, answer.json()
    return answer.json()["places"][0]


def test_a_large_image_goes_straight_to_the_store(api: APIClient, object_store: BlobStore) -> None:
    given = place(api, len(png(1)))
    body = {"samples": [{"key": "cat/1.png", "upload": given["upload"], "label": {"class": "cat"}}]}
    early = api.post("/datasets/digits", body, format="json")
    assert early.json()["rejected"][0]["code"] == "upload_missing"
    put(given["url"], png(1))
    assert api.post("/datasets/digits", body, format="json").json()["added"] == 1
    assert object_store.get(Revision.objects.get().blob.ref) == png(1)
    again = api.post("/datasets/digits", body, format="json")
    assert again.json()["rejected"][0]["code"] == "upload_missing"


def test_an_archive_goes_straight_to_the_store_and_is_read_by_a_job(api: APIClient) -> None:
    packed = tar_of({f"cat/{number}.png": png(number) for number in range(5)}, "w:gz")
    given = place(api, len(packed))
    body = {"archive": {"upload": given["upload"], "sha256": hashlib.sha256(packed).hexdigest()}, "message": "direct"}
    assert api.post("/datasets/digits", body, format="json").json()["code"] == "upload_missing"
    put(given["url"], packed)
    answer = api.post("/datasets/digits", body, format="json")
    assert answer.status_code == 202, answer.json()
    assert work_on(answer.json()["job"]["id"])
    job = api.get(answer.json()["job"]["url"]).json()
    assert (job["state"], job["result"]["added"], job["result"]["labelled"]) == ("succeeded", 5, 5), job
    assert api.post("/datasets/digits", body, format="json").json()["code"] == "upload_missing"


def test_what_somebody_uploads_after_being_taken_off_is_seen_by_nobody(
    api: APIClient, api_of: Callable[[User], APIClient]
) -> None:
    carols = api_of(create_user("carol", role=Role.OWNER)[0])
    given = place(carols, len(png(1)))
    assert parse_qs(urlsplit(given["url"]).query)["X-Amz-Expires"] == ["60"]
    assert api.patch("/people/carol", {"active": False}, format="json").status_code == 200
    put(given["url"], png(1))  # the store knows no people
    body = {"samples": [{"key": "cat/1.png", "upload": given["upload"], "label": {"class": "cat"}}]}
    before = row_counts()
    assert carols.post("/datasets/digits", body, format="json").status_code == 401
    assert carols.post("/datasets/digits/uploads", {"presign": [{"size": 1}]}, format="json").status_code == 401
    assert row_counts() == before


def test_an_archive_that_is_not_the_announced_one_commits_nothing(api: APIClient) -> None:
    packed = tar_of({"cat/1.png": png(1)}, "w")
    given = place(api, len(packed))
    put(given["url"], packed)
    body = {"archive": {"upload": given["upload"], "sha256": "0" * 64}}
    answer = api.post("/datasets/digits", body, format="json")
    work_on(answer.json()["job"]["id"])
    job = api.get(answer.json()["job"]["url"]).json()
    assert (job["state"], job["error"]["code"]) == ("failed", "digest_mismatch")
    assert row_counts()["Version"] == 0


@pytest.fixture
def hidden(api: APIClient) -> str:
    """The md5 of a picture in a project that Eva knows nothing of."""
    project = Project.objects.create(name="elsewhere").name
    body = {"name": "secrets", "task": "classification", "classes": ["a"], "project": project}
    assert api.post("/datasets", body, format="json").status_code == 201
    assert api.post("/datasets/secrets", {"files": sent("7.png", png(7))}).status_code == 201
    return md5(png(7))


def named(api: APIClient, digest: str) -> Any:
    return api.post("/datasets/digits", {"samples": [{"key": "a.png", "md5": digest}]}, format="json")


def test_engineers_name_what_they_sent_and_may_read_all_else_is_missing_to_them(
    api: APIClient, evas_api: APIClient, api_of: Callable[[User], APIClient], hidden: str
) -> None:
    api.post("/datasets/digits", {"files": sent("3.png", png(3))})
    never = md5(png(99))
    assert have(evas_api, hidden, md5(png(3)), never) == [hidden, never]
    for digest in (hidden, never):
        answer = named(evas_api, digest)
        assert (answer.status_code, answer.json()["code"], answer.json()["missing"]) == (409, "bytes_missing", [digest])
    stage(evas_api, {"7.png": png(7)})  # who has the bytes themselves may have them here
    emils_api = api_of(create_user("emil", role=Role.ENGINEER)[0])
    assert have(emils_api, hidden) == [hidden]
    assert have(evas_api, hidden) == []
    SentBytes.objects.update(sent=Now() - senders.LATELY / 2)
    stage(evas_api, {"7.png": png(7)})
    SentBytes.objects.update(sent=F("sent") - senders.LATELY * 0.6)  # counted from the last time
    assert have(evas_api, hidden) == []
    SentBytes.objects.update(sent=Now() - senders.LATELY)
    assert have(evas_api, hidden) == [hidden]
    stage(evas_api, {"8.png": png(8), "7.png": png(7)})
    assert SentBytes.objects.count() == 2
    assert named(evas_api, hidden).json()["added"] == 1


def test_a_commit_in_a_job_names_what_its_author_might_name_when_it_was_sent(
    evas_api: APIClient, hidden: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listings, "AT_ONCE_LINES", 1)
    stage(evas_api, {"8.png": png(8)})
    for digest, state in ((hidden, "failed"), (md5(png(8)), "succeeded")):
        lines = listing({"key": "a.png", "md5": digest}, {"key": "b.png", "md5": md5(png(8))})
        job = evas_api.post("/datasets/digits", {"samples": lines}).json()["job"]
        work_on(job["id"])
        told = evas_api.get(job["url"]).json()
        assert (told["state"], (told["error"] or {}).get("code")) == (
            state, "bytes_missing" if state == "failed" else None,
        )  # fmt: skip


def test_who_commits_nothing_asks_and_stores_nothing_ahead(bobs_api: APIClient) -> None:
    calls = [
        bobs_api.post("/datasets/digits/have", {"digests": ["0" * 32]}, format="json"),
        bobs_api.post("/datasets/digits/uploads", {"files": sent("a.png", png())}),
        bobs_api.post("/datasets/digits/uploads", {"presign": [{"size": 1}]}, format="json"),
    ]
    assert {(answer.status_code, answer.json()["code"]) for answer in calls} == {(403, "engineers_only")}


@pytest.mark.parametrize(
    "body", [{}, {"digests": ["x"]}, {"digests": "0" * 32}, {"digests": ["0" * 32] * 10_001}, {"digests": [None]}, []]
)
def test_a_bad_question_is_refused(api: APIClient, body: Any) -> None:
    assert api.post("/datasets/digits/have", body, format="json").status_code == 400
    assert api.post("/blobs", body, format="json").status_code == 400


def test_a_sample_has_its_bytes_from_one_place(api: APIClient) -> None:
    body = {"samples": [{"key": "a", "md5": "0" * 32, "data": data(png())}]}
    answer = api.post("/datasets/digits", body, format="json")
    assert (answer.status_code, answer.json()["code"]) == (400, "invalid")


def test_a_version_is_listed_and_its_bytes_come_in_one_answer(api: APIClient, dataset: Dataset) -> None:
    members = {f"cat/{number}.png": png(number) for number in range(4)} | {"test/dog/9.png": png(9)}
    api.post("/datasets/digits", {"archive": sent("a.tar", tar_of(members, "w"))})
    text = api.get("/datasets/digits/versions/1/manifest").getvalue()
    *lines, last = [orjson.loads(line) for line in text.splitlines()]
    assert last == {"samples": 5}
    assert {line["key"]: (line["md5"], line["size"]) for line in lines} == {
        key: (md5(content), len(content)) for key, content in members.items()
    }
    short = api.get("/datasets/digits/versions/v1/manifest?split=test").getvalue().splitlines()
    assert [orjson.loads(line).get("key") for line in short] == ["test/dog/9.png", None]
    assert api.get("/datasets/digits/versions/1/manifest?split=x").status_code == 400
    digests = [md5(content) for content in members.values()]
    answer = api.post("/blobs", {"digests": [*digests, "0" * 32]}, format="json")
    with tarfile.open(fileobj=io.BytesIO(answer.getvalue())) as archive:
        found = {member.name: archive.extractfile(member).read() for member in archive}  # type: ignore[union-attr]
    assert found == {md5(content): content for content in members.values()}
