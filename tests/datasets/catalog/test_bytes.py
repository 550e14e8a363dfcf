"""GET /blobs/{digest} and /thumbs/{digest}."""

import hashlib
import io
import random
from contextlib import ExitStack
from itertools import pairwise

import pytest
from PIL import Image
from rest_framework.test import APIClient
from tests.datasets.conftest import Post, data, jpeg, png

from accounts.models import User
from blobs.budget import AT_WORK, at_work
from blobs.services import keep_bytes

FOR_EVER = "private, max-age=31536000, immutable"


def content(answer: object) -> bytes:
    return b"".join(answer.streaming_content) if answer.streaming else answer.content  # type: ignore[attr-defined]  # the test client's answer


def test_an_image_comes_back_as_it_was_sent(api: APIClient, post: Post) -> None:
    post(samples=[{"key": "a", "data": data(jpeg(1))}])
    digest = hashlib.md5(jpeg(1), usedforsecurity=False).hexdigest()
    answer = api.get(f"/blobs/{digest}", HTTP_ACCEPT="image/avif,image/webp")
    assert content(answer) == jpeg(1)
    assert answer.headers["Content-Type"] == "image/jpeg"
    assert answer.headers["Cache-Control"] == FOR_EVER
    assert answer.headers["ETag"] == f'"{digest}"'
    assert api.get(f"/blobs/{digest}", HTTP_IF_NONE_MATCH=f'"{digest}"').status_code == 304


def test_a_page_hidden_in_an_image_stays_an_image(api: APIClient, post: Post) -> None:
    polyglot = jpeg(1) + b"<script>alert(1)</script>"
    post(samples=[{"key": "a.html", "data": data(polyglot)}])
    answer = api.get(f"/blobs/{hashlib.md5(polyglot, usedforsecurity=False).hexdigest()}")
    assert answer.status_code == 200
    assert answer.headers["Content-Type"] == "image/jpeg"
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert "sandbox" in answer.headers["Content-Security-Policy"]


@pytest.mark.parametrize(
    "body", [b"<html><script>alert(1)</script>", b"<svg xmlns='http://www.w3.org/2000/svg'/>", b"x"]
)
@pytest.mark.usefixtures("object_store")
def test_all_but_images_is_a_download(api: APIClient, body: bytes) -> None:
    blob = keep_bytes(body, media_type="text/html")
    answer = api.get(f"/blobs/{blob.md5}")
    assert content(answer) == body
    assert answer.headers["Content-Type"] == "application/octet-stream"
    assert answer.headers["Content-Disposition"].startswith("attachment")
    assert "sandbox" in answer.headers["Content-Security-Policy"]


@pytest.mark.usefixtures("object_store")
def test_a_large_blob_is_streamed(api: APIClient) -> None:
    blob = keep_bytes(bytes(9 << 20), media_type="application/octet-stream")
    answer = api.get(f"/blobs/{blob.md5}")
    assert answer.headers["Content-Length"] == str(9 << 20)
    assert content(answer) == bytes(9 << 20)


TEN = b"0123456789"


@pytest.mark.usefixtures("object_store")
@pytest.mark.parametrize(
    ("asked", "told", "body"),
    [
        ("bytes=2-4", "bytes 2-4/10", b"234"),
        ("bytes=7-", "bytes 7-9/10", b"789"),
        ("bytes=-3", "bytes 7-9/10", b"789"),
        ("bytes=-99", "bytes 0-9/10", TEN),
        ("Bytes=0-99999999999999999999", "bytes 0-9/10", TEN),
    ],
)
def test_a_range_is_answered_alone(api: APIClient, asked: str, told: str, body: bytes) -> None:
    blob = keep_bytes(TEN, media_type="application/octet-stream")
    answer = api.get(f"/blobs/{blob.md5}", HTTP_RANGE=asked)
    assert (answer.status_code, answer.headers["Content-Range"], content(answer)) == (206, told, body)
    assert (answer.headers["Content-Length"], answer.headers["ETag"]) == (str(len(body)), f'"{blob.md5}"')


@pytest.mark.usefixtures("object_store")
@pytest.mark.parametrize(
    "asked", ["bytes=4-2", "bytes=-", "bytes=0-1,4-5", "lines=1-2", "bytes=a-b", "bytes", "bytes=-1-2", "bytes=１-２"]
)
def test_what_is_no_single_range_is_answered_whole(api: APIClient, asked: str) -> None:
    blob = keep_bytes(TEN, media_type="application/octet-stream")
    answer = api.get(f"/blobs/{blob.md5}", HTTP_RANGE=asked)
    assert (answer.status_code, content(answer), answer.headers["Accept-Ranges"]) == (200, TEN, "bytes")
    assert "Content-Range" not in answer.headers


@pytest.mark.usefixtures("object_store")
def test_a_range_behind_the_end_is_told_how_many_bytes_there_are(api: APIClient) -> None:
    blob = keep_bytes(TEN, media_type="application/octet-stream")
    for asked in ("bytes=10-", "bytes=-0", "bytes=99999999999999999999-"):
        answer = api.get(f"/blobs/{blob.md5}", HTTP_RANGE=asked)
        assert (answer.status_code, answer.json()["code"]) == (416, "range_not_satisfiable")
        assert answer.headers["Content-Range"] == "bytes */10"


@pytest.mark.usefixtures("object_store")
def test_a_range_of_other_bytes_is_answered_whole(api: APIClient) -> None:
    blob = keep_bytes(TEN, media_type="application/octet-stream")
    same = api.get(f"/blobs/{blob.md5}", HTTP_RANGE="bytes=0-1", HTTP_IF_RANGE=f'"{blob.md5}"')
    other = api.get(f"/blobs/{blob.md5}", HTTP_RANGE="bytes=0-1", HTTP_IF_RANGE='"other"')
    assert (same.status_code, other.status_code) == (206, 200)


@pytest.mark.usefixtures("object_store")
def test_ranges_of_a_large_blob_make_the_whole(api: APIClient) -> None:
    whole = random.Random(3).randbytes(9 << 20)
    blob = keep_bytes(whole, media_type="application/octet-stream")
    cuts = [0, 5, (8 << 20) - 1, (8 << 20) + 7, 9 << 20]
    parts = [api.get(f"/blobs/{blob.md5}", HTTP_RANGE=f"bytes={a}-{b - 1}") for a, b in pairwise(cuts)]
    assert b"".join(content(part) for part in parts) == whole


@pytest.mark.parametrize(("size", "expected"), [((28, 28), (168, 168)), ((400, 100), (192, 48))])
def test_a_thumbnail_is_webp_and_small_images_grow(
    api: APIClient, post: Post, size: tuple[int, int], expected: tuple[int, int]
) -> None:
    image = png(1, size)
    post(samples=[{"key": "a", "data": data(image)}])
    digest = hashlib.md5(image, usedforsecurity=False).hexdigest()
    for _ in range(2):  # made, then kept
        answer = api.get(f"/thumbs/{digest}", HTTP_ACCEPT="image/webp")
        assert answer.headers["Content-Type"] == "image/webp"
        assert answer.headers["Cache-Control"] == FOR_EVER
        assert answer.headers["ETag"] == f'"{digest}"'
        assert Image.open(io.BytesIO(answer.content)).size == expected
    assert api.get(f"/thumbs/{digest}", HTTP_IF_NONE_MATCH=f'"{digest}"').status_code == 304


@pytest.mark.usefixtures("object_store")
def test_what_is_no_image_has_no_thumbnail(api: APIClient) -> None:
    blob = keep_bytes(b"plain text", media_type="text/plain")
    assert api.get(f"/thumbs/{blob.md5}").json()["code"] == "not_an_image"


@pytest.mark.parametrize("digest", ["0" * 32, "..", "%2e%2e%2fetc", "x", "0" * 31])
@pytest.mark.usefixtures("object_store")
def test_an_unknown_digest_is_a_404(api: APIClient, digest: str) -> None:
    for kind in ("blobs", "thumbs"):
        answer = api.get(f"/{kind}/{digest}", HTTP_ACCEPT="image/webp")
        assert answer.status_code == 404
        assert answer.headers["Content-Type"] == "application/problem+json"


def test_thumbnails_are_made_for_one_person_as_a_browser_asks_and_no_more(
    api: APIClient, bobs_api: APIClient, alice: User, post: Post
) -> None:
    image = png(4242)  # whose thumbnail no other test has left behind
    post(samples=[{"key": "a", "data": data(image)}])
    path = f"/thumbs/{hashlib.md5(image, usedforsecurity=False).hexdigest()}"
    with ExitStack() as stack:
        for _ in range(AT_WORK):
            stack.enter_context(at_work(alice.pk))
        refused = api.get(path)
        assert (refused.status_code, refused.json()["code"]) == (429, "too_many_at_once")
        assert refused.headers["Retry-After"] == "2"
        assert bobs_api.get(path).status_code == 200
        assert api.get(path).status_code == 200, "what is made already costs nothing"
