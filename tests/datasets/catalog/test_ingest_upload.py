"""POST /datasets/{id} with files or a small archive."""

import io
import struct
import tarfile
import zipfile
import zlib

import pytest
from PIL import Image
from rest_framework.test import APIClient
from tests.datasets.conftest import data, jpeg, multipart, png, row_counts, sent

from catalog.models import Dataset

pytestmark = pytest.mark.usefixtures("object_store", "dataset")


def zip_of(members: dict[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return out.getvalue()


def tar_of(members: dict[str, bytes], mode: str = "w") -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode) as archive:  # type: ignore[call-overload]  # the mode is a parameter
        for name, content in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(content)
            archive.addfile(info, io.BytesIO(content))
    return out.getvalue()


def bomb() -> bytes:
    """A PNG of a few bytes that promises 20,000 x 20,000 pixels: 1.2 GB when decoded as RGB."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    head = struct.pack(">IIBBBBB", 20_000, 20_000, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(b"\0" * 1000)) + chunk(b"IEND", b"")
    )


def test_files_keep_the_names_they_were_sent_with(api: APIClient) -> None:
    answer = api.post("/datasets/digits", **multipart([("files", "cat/1.png", png(1)), ("files", "dog/1.png", png(2))]))
    assert answer.status_code == 201
    assert answer.json()["recognised"]["format"] == "image_folder"
    assert api.get("/datasets/digits/samples/dog/1.png").json()["label"] == {"class": "dog"}


def test_names_that_climb_are_refused_and_the_rest_taken(api: APIClient) -> None:
    names = ["../up.png", "/root.png", "a/../b.png", "./here.png", "..", "c:\\\\x.png", "good.png"]
    answer = api.post("/datasets/digits", **multipart([("files", name, png(i)) for i, name in enumerate(names)]))
    assert answer.json()["added"] == 1
    assert {item["code"] for item in answer.json()["rejected"]} == {"key_malformed"}
    assert len(answer.json()["rejected"]) == len(names) - 1


def test_bad_images_are_named_with_the_right_codes(api: APIClient) -> None:
    files = [("text.png", b"just text"), ("cut.jpg", jpeg(1)[:300]), ("bomb.png", bomb()), ("empty.png", b""),
             ("page.svg", b"<svg xmlns='http://www.w3.org/2000/svg'/>"), ("good.png", png(1))]  # fmt: skip
    answer = api.post("/datasets/digits", **multipart([("files", name, content) for name, content in files]))
    assert answer.status_code == 201
    assert {item["key"]: item["code"] for item in answer.json()["rejected"]} == {
        "text.png": "not_an_image", "cut.jpg": "image_truncated", "bomb.png": "image_too_large",
        "empty.png": "empty_file", "page.svg": "unsupported_media_type",
    }  # fmt: skip
    assert row_counts() == {"Blob": 1, "Dataset": 1, "Label": 0, "Revision": 1, "Sample": 1, "Version": 1}


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("text.png", b"just text", "not_an_image"),
        ("cut.jpg", jpeg(1)[:300], "image_truncated"),
        ("bomb.png", bomb(), "image_too_large"),
    ],
)
def test_a_bad_image_alone_is_a_problem_and_leaves_nothing(
    api: APIClient, name: str, content: bytes, code: str
) -> None:
    before = row_counts()
    answer = api.post("/datasets/digits", {"files": [sent(name, content)]})
    assert answer.status_code == 400
    assert answer.json()["code"] == "nothing_accepted"
    assert [(item["key"], item["code"]) for item in answer.json()["rejected"]] == [(name, code)]
    assert row_counts() == before


@pytest.mark.parametrize("kind", ["zip", "tar", "tar.gz"])
def test_an_archive_is_read_whatever_its_kind(api: APIClient, kind: str) -> None:
    members = {"train/cat/1.png": png(1), "test/dog/2.png": png(2), "train/cat/.DS_Store": b"x"}
    packed = zip_of(members) if kind == "zip" else tar_of(members, "w:gz" if kind == "tar.gz" else "w")
    answer = api.post("/datasets/digits", {"archive": sent(f"a.{kind}", packed), "message": "from an archive"})
    assert answer.status_code == 201, answer.json()
    assert (answer.json()["added"], answer.json()["labelled"], answer.json()["rejected"]) == (2, 2, [])
    assert api.get("/datasets/digits/samples/test/dog/2.png").json()["split"] == "test"


def test_members_that_climb_are_refused_and_the_rest_taken(api: APIClient) -> None:
    packed = zip_of({"../../evil.png": png(1), "/abs.png": png(2), "good.png": png(3)})
    answer = api.post("/datasets/digits", {"archive": sent("a.zip", packed)})
    assert answer.json()["added"] == 1
    assert {item["code"] for item in answer.json()["rejected"]} == {"key_malformed"}


def test_a_tar_made_of_a_folder_has_plain_keys(api: APIClient) -> None:
    assert (
        api.post(
            "/datasets/digits", {"archive": sent("a.tar", tar_of({"./a/b.png": png(1), "./c.png": png(2)}))}
        ).status_code
        == 201
    )
    assert api.get("/datasets/digits/samples/a/b.png").status_code == 200


@pytest.mark.parametrize(
    ("content", "code"),
    [(b"not an archive", "archive_unsupported"), (zip_of({}), "empty_upload"), (b"", "archive_unsupported"),
     (zip_of({"../a.png": png(1)}), "nothing_accepted"), (tar_of({"a.png": png(1)})[:700], "archive_corrupt"),
     (tar_of({"a.png": png(1)}, "w:gz")[:60], "archive_corrupt"), (zip_of({"a.png": png(1)})[:-30], "archive_corrupt")],
    ids=["text", "empty-zip", "nothing", "outside", "cut-tar", "cut-gzip", "cut-zip"],
)  # fmt: skip
def test_a_bad_archive_is_refused_and_leaves_nothing(api: APIClient, content: bytes, code: str) -> None:
    before = row_counts()
    answer = api.post("/datasets/digits", {"archive": sent("a.zip", content)})
    assert (answer.status_code, answer.json()["code"]) == (400, code)
    assert row_counts() == before


def test_annotations_are_recognised_and_may_speak_of_earlier_samples(api: APIClient) -> None:
    api.post("/datasets/digits", {"files": [sent("old.png", png(1))]})
    lines = b'{"key":"new.png","label":{"class":"cat"},"split":"val"}\n{"key":"old.png","label":{"class":"dog"}}\n'
    answer = api.post("/datasets/digits", {"files": [sent("new.png", png(2))], "annotations": sent("a.jsonl", lines)})
    assert answer.status_code == 201, answer.json()
    assert (answer.json()["added"], answer.json()["updated"], answer.json()["labelled"]) == (1, 1, 2)
    assert answer.json()["recognised"]["format"] == "jsonl"
    assert api.get("/datasets/digits/samples/new.png").json()["split"] == "val"


@pytest.mark.parametrize(
    ("fields", "code"),
    [
        ({}, "empty_upload"),
        ({"message": "nothing else"}, "empty_upload"),
        ({"files": ["text"]}, "invalid"),
        ({"split": "valley", "files": [b"x"]}, "invalid"),
        ({"format": "coco2", "files": [b"x"]}, "invalid"),
        ({"parent": "x", "files": [b"x"]}, "invalid"),
        ({"parent": "3", "files": [png(1)]}, "stale_parent"),
        ({"format": "jsonl", "files": [png(1)]}, "annotations_unreadable"),
        ({"annotations": b"{not json", "format": "jsonl"}, "nothing_accepted"),
        ({"annotations": b"garbage", "files": [png(1)]}, "invalid"),
        ({"format": "image_folder", "files": [png(1)]}, "annotations_unreadable"),
    ],
)
def test_bad_fields_are_refused_and_leave_nothing(api: APIClient, fields: dict[str, object], code: str) -> None:
    before = row_counts()
    body = {name: sent(name, value) if isinstance(value, bytes) else value for name, value in fields.items()}
    if isinstance(files := fields.get("files"), list):
        body["files"] = [sent("a.png", file) if isinstance(file, bytes) else file for file in files]
    answer = api.post("/datasets/digits", body)
    assert (answer.status_code, answer.json()["code"]) == (409 if code == "stale_parent" else 400, code), answer.json()
    assert row_counts() == before


def test_an_unknown_class_is_named(api: APIClient) -> None:
    parts = [("files", "cat/1.png", png(1)), ("files", "yak/2.png", png(2))]
    answer = api.post("/datasets/digits", **multipart(parts))
    assert [(item["key"], item["code"]) for item in answer.json()["rejected"]] == [("yak/2.png", "unknown_class")]


def test_folders_that_are_no_classes_are_only_folders(api: APIClient) -> None:
    answer = api.post("/datasets/digits", **multipart([("files", "camera_front/1.png", png(1))]))
    assert (answer.json()["recognised"], answer.json()["labelled"], answer.json()["added"]) == (None, 0, 1)


def test_a_split_of_the_form_counts_for_all(api: APIClient) -> None:
    api.post("/datasets/digits", {"files": [sent("a.png", png(1))], "split": "test"})
    assert api.get("/datasets/digits").json()["counts"]["by_split"] == {"test": 1}


def test_an_upload_is_replayed_by_its_idempotency_key(api: APIClient) -> None:
    def send(seed: int) -> object:
        body = {"files": [sent("a.png", png(seed))]}
        return api.post("/datasets/digits", body, HTTP_IDEMPOTENCY_KEY="k")

    first, again, other = send(1), send(1), send(2)
    assert first.json() == again.json()  # type: ignore[attr-defined]  # the test client adds it
    assert first.status_code == again.status_code == 201  # type: ignore[attr-defined]  # same
    assert other.status_code == 422  # type: ignore[attr-defined]  # same
    assert Dataset.objects.get().head.number == 1  # type: ignore[union-attr]  # it has a head


@pytest.mark.usefixtures("object_store")
def test_the_same_file_of_another_folder_is_another_request(api: APIClient) -> None:
    for folder, status in (("cat", 201), ("dog", 422)):
        body = multipart([("files", f"{folder}/1.png", png(1))])
        assert api.post("/datasets/digits", **body, HTTP_IDEMPOTENCY_KEY="k").status_code == status


def test_a_thousand_and_more_files_fit_in_one_request(api: APIClient) -> None:
    parts = [("files", f"{number}.png", png(number, (8, 8))) for number in range(1100)]
    assert api.post("/datasets/digits", **multipart(parts)).json()["added"] == 1100


def test_images_that_unpack_to_too_many_pixels_are_refused_and_an_archive_of_them_is_a_job(
    api: APIClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A request of a hundred kilobytes must not hold a thread for minutes."""
    monkeypatch.setenv("MOTHERLODE_REQUEST_PIXELS", "1000000")
    flat = {f"{shade}.png": plain(shade) for shade in range(3)}
    files = [("files", name, content) for name, content in flat.items()]
    for path in ("/datasets/digits", "/datasets/digits/uploads"):
        refused = api.post(path, **multipart(files))
        assert (refused.status_code, refused.json()["code"]) == (413, "too_many_pixels"), refused.content
        assert "at most 1,000,000" in refused.json()["detail"]
    samples = [{"key": name, "data": data(content)} for name, content in flat.items()]
    assert api.post("/datasets/digits", {"samples": samples}, format="json").json()["code"] == "too_many_pixels"
    assert api.post("/datasets/digits", {"archive": sent("a.zip", zip_of(flat))}).status_code == 202
    assert api.post("/datasets/digits", **multipart(files[:1])).json()["added"] == 1


def plain(shade: int) -> bytes:
    out = io.BytesIO()
    Image.new("L", (1000, 1000), shade).save(out, "PNG")
    return out.getvalue()
