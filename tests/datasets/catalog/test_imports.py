"""Importing what lies in somebody else's bucket, by copy and by reference."""

import io
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import urllib3
from minio import Minio
from rest_framework.test import APIClient
from tests.datasets.conftest import jpeg, png
from tests.s3_server import bucket_name, remove_bucket
from tests.working import work_on

from blobs.errors import BlobCorrupt, BlobMissing, StoreMisconfigured
from blobs.models import Blob
from blobs.services import store
from blobs.settings import StoreConfig
from blobs.sources import ForeignBucket, ForeignObject, read_sources
from blobs.store import BlobStore
from blobs.stored import Stored
from catalog.exports.manifests import manifest_lines
from catalog.intake.imports import source_documents
from catalog.models import Dataset, Version
from worker_programs.manifest import read_manifest
from worker_programs.readers import CorruptSampleError

pytestmark = [pytest.mark.usefixtures("object_store", "dataset"), pytest.mark.django_db(transaction=True)]

Put = Callable[[str, bytes], None]


@pytest.fixture
def lake(s3_server: StoreConfig, object_store: BlobStore, monkeypatch: pytest.MonkeyPatch) -> Iterator[StoreConfig]:
    """A bucket of others, of which `drives/` may be imported from."""
    config = replace(s3_server, bucket=bucket_name())
    BlobStore(config).ensure_bucket()
    source = {"endpoint": config.to_env()["MOTHERLODE_S3_ENDPOINT"], "access_key": config.access_key,
              "secret_key": config.secret_key, "buckets": {config.bucket: ["drives/"]}}  # fmt: skip
    monkeypatch.setenv("MOTHERLODE_IMPORT_SOURCES", json.dumps({"lake": source}))
    monkeypatch.setenv("MOTHERLODE_CACHE_DIR", "")
    store.cache_clear()
    yield config
    remove_bucket(config)


@pytest.fixture
def put(lake: StoreConfig) -> Put:
    client = Minio(lake.endpoint, lake.access_key, lake.secret_key, secure=lake.secure, region=lake.region)

    def send(key: str, content: bytes) -> None:
        client.put_object(lake.bucket, key, io.BytesIO(content), len(content))

    return send


def ask(api: APIClient, lake: StoreConfig, mode: str = "copy", **where: Any) -> Any:
    s3 = {"source": "lake", "bucket": lake.bucket} | where
    return api.post("/datasets/digits/imports", {"s3": s3, "mode": mode, "message": "lake"}, format="json")


def imported(api: APIClient, lake: StoreConfig, mode: str = "copy", **where: Any) -> Any:
    answer = ask(api, lake, mode, **where)
    assert answer.status_code == 202, answer.json()
    assert work_on(answer.json()["job"]["id"])
    job = api.get(answer.json()["job"]["url"]).json()
    assert job["state"] == "succeeded", job
    return job["result"]


def objects_of(config: StoreConfig) -> set[str]:
    client = Minio(config.endpoint, config.access_key, config.secret_key, secure=config.secure, region=config.region)
    return {found.object_name or "" for found in client.list_objects(config.bucket, recursive=True)}


def test_images_below_a_prefix_are_copied_with_their_folders_as_labels(
    api: APIClient, lake: StoreConfig, put: Put
) -> None:
    for number in range(5):
        put(f"drives/7/train/{'cat' if number % 2 else 'dog'}/{number}.png", png(number))
    put("drives/7/readme.txt", b"hello")
    put("drives/7/train/cat/bad.png", b"hello")
    put("drives/8/other.png", png(99))
    result = imported(api, lake, prefix="drives/7/")
    assert (result["added"], result["labelled"], result["version"]) == (5, 5, 1)
    assert [(item["key"], item["code"]) for item in result["rejected"]] == [("train/cat/bad.png", "not_an_image")]
    assert result["recognised"]["format"] == "image_folder"
    blob = Blob.objects.exclude(width=None).first()
    assert blob is not None
    assert blob.ref.packed
    assert api.get("/datasets/digits/samples/train/dog/0.png").json()["split"] == "train"


def test_keys_are_imported_one_by_one_and_those_that_are_not_there_are_named(
    api: APIClient, lake: StoreConfig, put: Put
) -> None:
    put("drives/1.png", png(1))
    result = imported(api, lake, keys=["drives/1.png", "drives/none.png"])
    assert result["added"] == 1
    assert [(item["key"], item["code"]) for item in result["rejected"]] == [("drives/none.png", "object_missing")]


def test_a_reference_leaves_the_bytes_where_they_are_and_everybody_reads_them(
    api: APIClient, lake: StoreConfig, put: Put, object_store: BlobStore, tmp_path: Path
) -> None:
    contents = {f"{number}.png": png(number) for number in range(12)}
    for name, content in contents.items():
        put(f"drives/{name}", content)
    before = objects_of(object_store.config)
    assert imported(api, lake, "reference", prefix="drives/")["added"] == 12
    assert len(objects_of(object_store.config) - before) == 1  # the table of links, none of the images
    blob = Blob.objects.exclude(width=None).first()
    assert blob is not None
    assert blob.ref.linked
    assert store().exists(blob.ref)
    assert b"".join(store().open(blob.ref)) == store().get(blob.ref)

    path = tmp_path / "samples.jsonl"
    lines = manifest_lines(Version.objects.get())
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    samples = {sample.md5: sample for sample in read_manifest(path)}
    found = dict(Stored.from_env().get_many([sample.ref for sample in samples.values()]))
    assert {samples[ref.md5].key: data for ref, data in found.items()} == contents
    assert api.get(f"/blobs/{blob.md5}").getvalue() in contents.values()
    assert api.get(f"/thumbs/{blob.md5}").status_code == 200
    assert len(api.post("/blobs", {"digests": [blob.md5]}, format="json").getvalue()) > 1024


def test_an_object_that_changed_or_went_away_at_its_source_is_an_error_that_says_so(
    api: APIClient, lake: StoreConfig, put: Put
) -> None:
    put("drives/1.png", png(1))
    put("drives/2.png", png(2))
    imported(api, lake, "reference", prefix="drives/")
    first, second = Blob.objects.exclude(width=None).order_by("offset")
    put("drives/1.png", png(3))
    with pytest.raises(BlobCorrupt, match="changed at their source"):
        store().get(first.ref)
    with pytest.raises(BlobCorrupt, match="changed at their source"):
        list(store().open(first.ref))
    Minio(lake.endpoint, lake.access_key, lake.secret_key, secure=lake.secure).remove_object(
        lake.bucket, "drives/2.png"
    )
    with pytest.raises(BlobMissing):
        store().get(second.ref)
    assert not store().exists(second.ref)
    with pytest.raises(CorruptSampleError):
        list(Stored.from_env().get_many([ref_of(first)]))


def ref_of(blob: Blob) -> Any:
    from worker_programs.manifest import Ref

    return Ref(blob.md5, blob.sha256, blob.size, blob.key, blob.offset)


def test_bytes_that_are_stored_already_are_not_linked_and_a_later_copy_keeps_the_link(
    api: APIClient, lake: StoreConfig, put: Put
) -> None:
    put("drives/1.png", png(1))
    imported(api, lake, prefix="drives/")
    put("drives/2.png", png(2))
    assert imported(api, lake, "reference", prefix="drives/")["added"] == 1
    assert sorted(blob.ref.linked for blob in Blob.objects.exclude(width=None)) == [False, True]


def test_the_source_of_a_linked_blob_is_not_written_to(api: APIClient, lake: StoreConfig, put: Put) -> None:
    put("drives/1.png", png(1))
    imported(api, lake, "reference", prefix="drives/")
    assert objects_of(lake) == {"drives/1.png"}
    with pytest.raises(StoreMisconfigured, match="read only"):
        store().sources["lake"].bucket(lake.bucket).remove("drives/1.png")


@pytest.mark.parametrize(
    ("where", "code"),
    [
        ({"source": "http://169.254.169.254/"}, "source_unknown"),
        ({"bucket": "another", "prefix": "drives/"}, "source_not_allowed"),
        ({"prefix": ""}, "source_not_allowed"),
        ({"prefix": "secret/"}, "source_not_allowed"),
        ({"prefix": "drives/../secret/"}, "source_not_allowed"),
        ({"keys": ["drives/1.png", "secret/1.png"]}, "source_not_allowed"),
        ({"keys": ["drives/../../other/1.png"]}, "source_not_allowed"),
        ({"keys": ["drives/1.png"], "prefix": "drives/"}, "invalid"),
    ],
)
def test_what_no_operator_allowed_is_refused(
    api: APIClient, lake: StoreConfig, where: dict[str, Any], code: str
) -> None:
    answer = ask(api, lake, **where)
    assert (answer.status_code, answer.json()["code"]) == (400, code)


def test_only_an_owner_imports_and_sees_the_sources(bobs_api: APIClient, lake: StoreConfig) -> None:
    assert ask(bobs_api, lake, prefix="drives/").json()["code"] == "owners_only"
    assert bobs_api.get("/sources").json()["code"] == "owners_only"


def test_the_sources_are_shown_without_their_addresses_and_keys(api: APIClient, lake: StoreConfig) -> None:
    shown = api.get("/sources").json()["results"]
    assert shown == source_documents() == [{"name": "lake", "buckets": {lake.bucket: ["drives/"]}}]


def test_an_empty_place_is_an_error_of_the_job(api: APIClient, lake: StoreConfig) -> None:
    answer = ask(api, lake, prefix="drives/nothing/")
    work_on(answer.json()["job"]["id"])
    job = api.get(answer.json()["job"]["url"]).json()
    assert (job["state"], job["error"]["code"]) == ("failed", "empty_upload")


@pytest.mark.parametrize(
    ("wrong", "answered"), [({}, "NoSuchBucket"), ({"secret_key": "x" * 30}, "SignatureDoesNotMatch")]
)
def test_a_source_that_refuses_us_ends_the_job_at_once_and_is_named(
    api: APIClient, s3_server: StoreConfig, monkeypatch: pytest.MonkeyPatch, wrong: dict[str, str], answered: str
) -> None:
    source = {"endpoint": s3_server.to_env()["MOTHERLODE_S3_ENDPOINT"], "access_key": s3_server.access_key,
              "secret_key": s3_server.secret_key, "buckets": {"moved-away": [""]}} | wrong  # fmt: skip
    monkeypatch.setenv("MOTHERLODE_IMPORT_SOURCES", json.dumps({"lake": source}))
    store.cache_clear()
    answer = ask(api, replace(s3_server, bucket="moved-away"))
    work_on(answer.json()["job"]["id"])
    job = api.get(answer.json()["job"]["url"]).json()
    assert (job["state"], job["error"]["code"]) == ("failed", "source_refused")
    for word in ("source: 'lake'", "bucket 'moved-away'", answered, "MOTHERLODE_IMPORT_SOURCES"):
        assert word in job["error"]["detail"]


def test_a_source_without_an_endpoint_is_other_buckets_of_our_own_store(s3_server: StoreConfig) -> None:
    sources = read_sources(s3_server, {"MOTHERLODE_IMPORT_SOURCES": '{"own": {"buckets": {"landing": ["a/"]}}}'})
    assert sources["own"].config.endpoint == s3_server.endpoint
    assert sources["own"].allows("landing", "a/b")
    assert not sources["own"].allows("landing", "b/")
    assert s3_server.secret_key not in repr(sources)


@pytest.mark.parametrize("text", ["x", "[]", '{"a": {}}', '{"a": {"buckets": []}}', '{"a": {"buckets": {"raw": 1}}}',
                                  '{"a": {"endpoint": "nowhere", "access_key": "", "secret_key": "", "buckets": {}}}',
                                  '{"a": {"buckets": {"OWN": [""]}}}', '{"a": {"buckets": {"B": [""]}}}',
                                  '{"a": {"buckets": {"raw": "2025/"}}}', '{"a": {"buckets": {"raw": []}}}',
                                  '{"a": {"buckets": {"raw": [7]}}}', '{"a": {"buckets": {"raw": [""]}, "key": "x"}}',
                                  '{"a": {"access_key": "x", "buckets": {"raw": [""]}}}'])  # fmt: skip
def test_a_faulty_setting_is_the_operators_error(s3_server: StoreConfig, text: str) -> None:
    with pytest.raises(StoreMisconfigured, match="MOTHERLODE_IMPORT_SOURCES"):
        read_sources(s3_server, {"MOTHERLODE_IMPORT_SOURCES": text.replace("OWN", s3_server.bucket)})


def test_the_dataset_is_named_in_the_job(api: APIClient, lake: StoreConfig, dataset: Dataset) -> None:
    title = ask(api, lake, prefix="drives/7/").json()["job"]["title"]
    assert title == f"Import lake:{lake.bucket}/drives/7/ into {dataset.name}"


def test_of_objects_whose_names_say_nothing_the_first_bytes_decide_and_each_that_stays_is_named(
    api: APIClient, lake: StoreConfig, put: Put
) -> None:
    films = b"\0\0\0\x20ftypisom\0\0\2\0isomiso2avc1mp41" + bytes(100_000)
    for key, content in {"photo": png(1), "2.jfif": jpeg(2), "film.mp4": films, "notes.docx": b"words",
                         ".cache/3.png": png(3), "empty.bin": b"", ".DS_Store": b"x"}.items():  # fmt: skip
        put(f"drives/{key}", content)
    result = imported(api, lake, prefix="drives/")
    assert result["added"] == 2
    assert {item["key"]: item["code"] for item in result["rejected"]} == {
        "film.mp4": "unsupported_media_type", "notes.docx": "not_an_image", ".cache/3.png": "hidden_file",
        "empty.bin": "empty_file",
    }  # fmt: skip


def changing(monkeypatch: pytest.MonkeyPatch, change: Callable[[], None]) -> None:
    """Call `change` between the listing of a source's bucket and the reading of its objects."""
    listed = ForeignBucket.objects

    def objects(bucket: ForeignBucket, prefix: str) -> Iterator[ForeignObject]:
        found = list(listed(bucket, prefix))
        change()
        yield from found

    monkeypatch.setattr(ForeignBucket, "objects", objects)


@pytest.mark.parametrize("mode", ["copy", "reference"])
def test_objects_that_change_or_vanish_while_they_are_imported_are_named_with_the_reason(
    api: APIClient, lake: StoreConfig, put: Put, monkeypatch: pytest.MonkeyPatch, mode: str
) -> None:
    for name in ("same", "longer", "shorter", "gone"):
        put(f"drives/{name}.png", png(len(name)))
    size = len(png(6))

    def change() -> None:
        put("drives/longer.png", png(6) + b"more")
        put("drives/shorter.png", png(7)[:20])
        Minio(lake.endpoint, lake.access_key, lake.secret_key, secure=lake.secure).remove_object(
            lake.bucket, "drives/gone.png"
        )

    changing(monkeypatch, change)
    result = imported(api, lake, mode, prefix="drives/")
    assert result["added"] == 1
    told = {item["key"]: (item["code"], item["detail"]) for item in result["rejected"]}
    assert {key: code for key, (code, _) in told.items()} == {
        "longer.png": "object_changed", "shorter.png": "object_changed", "gone.png": "object_missing",
    }  # fmt: skip
    assert f"listed with {size:,} bytes" in told["longer.png"][1]
    assert "has 20 now" in told["shorter.png"][1]


def test_a_bucket_that_vanishes_while_it_is_imported_ends_the_job_and_is_named(
    api: APIClient, lake: StoreConfig, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    put("drives/1.png", png(1))
    changing(monkeypatch, lambda: remove_bucket(lake))
    answer = ask(api, lake, prefix="drives/")
    work_on(answer.json()["job"]["id"])
    job = api.get(answer.json()["job"]["url"]).json()
    assert (job["state"], job["error"]["code"]) == ("failed", "source_refused")
    assert "NoSuchBucket" in job["error"]["detail"]
    assert not Version.objects.exists()
    BlobStore(lake).ensure_bucket()  # which the fixture removes


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("new\nline.png", "printable characters alone, and this one has '\\n'"),
        ("zero\u200bwidth.png", "'\\u200b'"),
        ("back\\slash.png", "forward slashes"),
        ("cat//1.png", "empty, '.' or '..' parts"),
        ("folder/", "empty, '.' or '..' parts"),
    ],
)
def test_a_key_that_no_sample_can_have_is_refused_for_what_is_wrong_with_it(
    api: APIClient, lake: StoreConfig, put: Put, monkeypatch: pytest.MonkeyPatch, name: str, words: str
) -> None:
    put("drives/1.png", png(1))
    # SeaweedFS would not keep such keys as they are; other stores do.
    image = png(2)
    listed = [ForeignObject("drives/1.png", len(png(1)), ""), ForeignObject(f"drives/{name}", len(image), "")]
    monkeypatch.setattr(ForeignBucket, "objects", lambda *_: iter(listed))
    read = ForeignBucket.read
    monkeypatch.setattr(
        ForeignBucket,
        "read",
        lambda bucket, key, *args, **how: image if key != "drives/1.png" else read(bucket, key, *args, **how),
    )
    result = imported(api, lake, prefix="drives/")
    assert result["added"] == 1
    assert [(item["key"], item["code"]) for item in result["rejected"]] == [(name, "key_malformed")]
    assert words in result["rejected"][0]["detail"]


def test_a_key_that_cannot_be_asked_for_is_told_apart_from_one_that_is_not_allowed(
    api: APIClient, lake: StoreConfig
) -> None:
    errors = ask(api, lake, keys=["drives/a\u200b.png"]).json()["errors"]
    assert "printable" in errors["keys"][0]


def answering(lake: StoreConfig, monkeypatch: pytest.MonkeyPatch, code: str, *, status: int) -> None:
    """Let the store answer a GET of `drives/2.png` with an error."""
    body = f"<Error><Code>{code}</Code><Message>the region is wrong; expecting 'eu-west-1'</Message></Error>".encode()
    real = urllib3.PoolManager.urlopen

    def urlopen(pool: urllib3.PoolManager, method: str, url: str, *args: Any, **how: Any) -> Any:
        if method == "GET" and url.endswith(f"/{lake.bucket}/drives/2.png"):
            return urllib3.HTTPResponse(io.BytesIO(body), {"content-type": "application/xml"}, status)
        return real(pool, method, url, *args, **how)

    monkeypatch.setattr(urllib3.PoolManager, "urlopen", urlopen)


def test_an_object_in_an_archive_tier_is_refused_and_the_others_are_taken(
    api: APIClient, lake: StoreConfig, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    put("drives/1.png", png(1))
    put("drives/2.png", png(2))
    answering(lake, monkeypatch, "InvalidObjectState", status=403)
    result = imported(api, lake, prefix="drives/")
    assert result["added"] == 1
    assert [(item["key"], item["code"]) for item in result["rejected"]] == [("2.png", "object_archived")]


@pytest.mark.parametrize(
    ("code", "status", "words"),
    [("AuthorizationHeaderMalformed", 400, "expecting 'eu-west-1'"), ("AccessDenied", 403, "'drives/2.png'")],
)
def test_what_the_store_refuses_for_good_is_told_with_the_object_and_what_to_mend(
    api: APIClient, lake: StoreConfig, put: Put, monkeypatch: pytest.MonkeyPatch, code: str, status: int, words: str
) -> None:
    put("drives/2.png", png(2))
    answering(lake, monkeypatch, code, status=status)
    answer = ask(api, lake, prefix="drives/")
    work_on(answer.json()["job"]["id"])
    job = api.get(answer.json()["job"]["url"]).json()
    assert (job["state"], job["error"]["code"]) == ("failed", "source_refused")
    assert code in job["error"]["detail"]
    assert words in job["error"]["detail"]


def test_a_dataset_that_something_is_imported_into_is_not_archived(api: APIClient, lake: StoreConfig) -> None:
    job = ask(api, lake, prefix="drives/").json()["job"]
    refused = api.post("/datasets/digits/archive")
    assert (refused.status_code, refused.json()["code"]) == (409, "in_use")
    assert f"Import lake:{lake.bucket}/drives/ into digits" in str(refused.json()["busy"]["jobs"])
    assert api.post(f"/jobs/{job['id']}/cancel").status_code == 202
    assert api.post("/datasets/digits/archive").status_code == 200


def test_an_import_taken_up_again_after_its_dataset_was_put_away_says_so(
    api: APIClient, lake: StoreConfig, put: Put
) -> None:
    put("drives/1.png", png(1))
    job = ask(api, lake, prefix="drives/").json()["job"]

    def ends_in() -> tuple[str, str]:
        assert api.post(f"/jobs/{job['id']}/retry").status_code == 202
        assert work_on(job["id"])
        found = api.get(job["url"]).json()
        assert found["state"] == "failed"
        return found["error"]["code"], found["error"]["detail"]

    api.post(f"/jobs/{job['id']}/cancel")
    api.post("/datasets/digits/archive")
    assert ends_in()[0] == "archived"
    gone = api.delete("/datasets/digits?confirm=digits").json()["job"]
    while work_on(gone["id"]):
        pass
    code, detail = ends_in()
    assert (code, "was deleted by" in detail) == ("dataset_deleted", True)
