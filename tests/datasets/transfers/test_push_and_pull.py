"""`lode dataset push` and `pull` against a real server: resumable, nothing twice, byte for byte."""

import json
import shutil
import tarfile
import threading
from pathlib import Path

import pytest
from django.db import connection
from tests.datasets.conftest import jpeg, png
from tests.datasets.transfers.conftest import Lode, Wire, bytes_of
from tests.web import Web
from tests.workers import wait_until
from tests.working import work_on

from accounts.models import Token, User
from blobs.models import Blob
from catalog.models import Dataset, Sample, Version
from jobs.models import Job
from motherlode import Motherlode, pulling, pushing
from motherlode.cli.terminal import NOTHING_TAKEN, SOME_REFUSED
from motherlode.folders import files_in
from motherlode.hashes import HashCache
from motherlode.pulling import pull_version
from motherlode.pushing import PushTerms, push_folder

pytestmark = [pytest.mark.django_db(transaction=True)]


HEIC = b"\0\0\0\x24ftypheic\0\0\0\0mif1MiHEmiafheic"
MP4 = b"\0\0\0\x20ftypisom\0\0\2\0isomiso2avc1mp41"


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Ten images a batch, so that sixty take a while."""
    monkeypatch.setattr(pushing, "BATCH_BYTES", 100_000)
    monkeypatch.setattr(pushing, "THREADS", 2)
    monkeypatch.setattr(pulling, "BATCH_BYTES", 100_000)
    monkeypatch.setattr(pulling, "THREADS", 2)


def test_a_folder_becomes_a_version_and_a_folder_again(lode: Lode, folder: Path, tmp_path: Path) -> None:
    pushed = json.loads(lode("push", str(folder), "digits", "--message", "first", "--json"))
    assert (pushed["files"], pushed["sent_files"], pushed["commit"]["added"]) == (60, 60, 60)
    assert pushed["commit"]["labelled"] == 60
    pulled = json.loads(lode("pull", "digits", str(tmp_path / "out"), "--json"))
    assert (pulled["version"], pulled["files"], pulled["fetched_files"]) == (1, 60, 60)
    assert bytes_of(tmp_path / "out") == bytes_of(folder)
    again = json.loads(lode("pull", "digits", str(tmp_path / "out"), "--json"))
    assert again["fetched_files"] == 0
    tests = json.loads(lode("pull", "digits", str(tmp_path / "tests"), "--split", "test", "--json"))
    assert tests["files"] == 6
    lines = [
        json.loads(line) for line in (tmp_path / "tests" / ".motherlode" / "samples.jsonl").read_text().splitlines()
    ]
    assert {(line["split"], line["label"]["class"]) for line in lines} == {("test", "cat")}


def test_annotation_files_among_the_images_are_read(lode: Lode, tmp_path: Path) -> None:
    root = tmp_path / "labelled"
    root.mkdir()
    for number in range(3):
        (root / f"{number}.png").write_bytes(png(number))
    (root / "labels.jsonl").write_text(
        '{"key": "0.png", "label": {"class": "dog"}}\n{"key": "1.png", "split": "val"}\n'
    )
    (root / "README.txt").write_text("Three images.")
    pushed = json.loads(lode("push", str(root), "digits", "--json"))
    assert (pushed["commit"]["added"], pushed["commit"]["labelled"], pushed["commit"]["rejected"]) == (3, 1, [])
    assert pushed["commit"]["recognised"]["format"] == "jsonl"


def test_a_folder_and_an_archive_of_it_leave_the_same_files_behind(lode: Lode, tmp_path: Path) -> None:
    root = tmp_path / "mixed"
    files = {"photo": jpeg(1), "scan.jfif": jpeg(2), "3.png": png(3), "4.txt": jpeg(4), "phone.heic": HEIC,
             "drive.mp4": MP4, "notes.docx": b"words", ".hidden.png": png(5), "broken.png": b"no image"}  # fmt: skip
    root.mkdir()
    for name, content in files.items():
        (root / name).write_bytes(content)
    with tarfile.open(tmp_path / "mixed.tar", "w") as archive:
        for name in files:
            archive.add(root / name, arcname=name)
    from_folder = json.loads(lode("push", str(root), "digits", "--json", code=SOME_REFUSED))["commit"]
    assert from_folder["added"] == 4
    left = {item["key"]: item["code"] for item in from_folder["rejected"]}
    assert left == {
        "phone.heic": "unsupported_media_type", "drive.mp4": "unsupported_media_type", "notes.docx": "not_an_image",
        ".hidden.png": "hidden_file", "broken.png": "not_an_image",
    }  # fmt: skip
    packed = str(tmp_path / "mixed.tar")
    from_archive = json.loads(lode("push", packed, "digits", "--json", code=SOME_REFUSED))["commit"]
    assert from_archive["unchanged"] == 4
    told = {item["key"]: (item["code"], item["detail"]) for item in from_archive["rejected"]}
    assert told == {item["key"]: (item["code"], item["detail"]) for item in from_folder["rejected"]}
    assert "HEIC" in told["phone.heic"][1]
    assert "MP4 video" in told["drive.mp4"][1]


def test_a_second_push_sends_only_what_is_new(lode: Lode, wire: Wire, folder: Path) -> None:
    lode("push", str(folder), "digits")
    (folder / "train" / "cat" / "new.png").write_bytes(png(1000, (100, 100)))
    shutil.copy(folder / "train" / "dog" / "001.png", folder / "train" / "dog" / "copy.png")
    wire.reset()
    pushed = json.loads(lode("push", "digits", str(folder), "--json"))
    assert (pushed["sent_files"], pushed["commit"]["added"], pushed["commit"]["unchanged"]) == (1, 2, 60)
    assert wire.up < 60_000  # one image of ten kilobytes, and the list


@pytest.mark.clock
def test_a_killed_push_goes_on_where_it_was(lode: Lode, wire: Wire, folder: Path) -> None:
    """Killed when a good part has gone up: the rest is sent by the next one, and what had arrived is not."""
    for number in range(60, 600):
        (folder / "train" / "cat" / f"{number}.png").write_bytes(png(number, (200, 200)))
    size = sum(len(content) for content in bytes_of(folder).values())
    assert size > 16 << 20  # three batches
    process = lode.start("push", str(folder), "digits")

    def kill() -> None:
        """As soon as a batch has arrived: on a busy machine all of them may still be on their way."""
        wait_until(Blob.objects.exists)
        connection.close()
        process.kill()

    wire.on_cut = kill
    wire.cut_after["up"] = int(size * 0.6)
    process.communicate()
    assert process.returncode != 0
    assert not Version.objects.exists()
    wire.settle()
    before = wire.up
    pushed = json.loads(lode("push", str(folder), "digits", "--json"))
    assert pushed["commit"]["added"] == 600
    assert pushed["sent_bytes"] < size
    # Nothing that arrived is sent again: at most the batches that were under way when it was killed.
    assert wire.up - before == pytest.approx(pushed["sent_bytes"], rel=0.1, abs=400_000)
    assert pushed["sent_bytes"] + before < size + pushing.THREADS * pushing.BATCH_BYTES
    assert json.loads(lode("push", str(folder), "digits", "--json"))["sent_files"] == 0


@pytest.mark.usefixtures("small_batches")
def test_a_push_outlives_a_server_that_is_killed(
    client: Motherlode, web: Web, wire: Wire, folder: Path, tmp_path: Path
) -> None:
    killed = threading.Event()

    def kill() -> None:
        web.kill()
        threading.Timer(0.5, web.start).start()
        killed.set()

    wire.on_cut, wire.cut_after["up"] = kill, 250_000
    pushed = push_folder(client, "digits", folder, PushTerms(), cache=HashCache(folder, place=tmp_path / "hashes"))
    assert killed.is_set()
    assert pushed.commit["added"] == 60


@pytest.mark.clock
def test_a_killed_pull_goes_on_where_it_was(lode: Lode, wire: Wire, folder: Path, tmp_path: Path) -> None:
    for number in range(60, 1200):
        (folder / "train" / "cat" / f"{number}.png").write_bytes(png(number, (200, 200)))
    size = sum(len(content) for content in bytes_of(folder).values())
    lode("push", str(folder), "digits")
    out = tmp_path / "out"
    wire.reset()
    process = lode.start("pull", "digits", str(out))
    wire.on_cut = process.kill
    wire.cut_after["down"] = int(size * 0.7)
    process.communicate()
    here = bytes_of(out)
    assert 0 < len(here) < 1200
    wanted = bytes_of(folder)
    assert all(wanted[name] == content for name, content in here.items())  # whole, or not there
    wire.reset()
    pulled = json.loads(lode("pull", "digits", str(out), "--json"))
    assert pulled["fetched_files"] == 1200 - len(here)
    assert wire.down < size - sum(map(len, here.values())) + 2_000_000
    assert bytes_of(out) == wanted
    assert not list(out.rglob(".partial-*"))


@pytest.mark.usefixtures("small_batches")
def test_a_pull_outlives_a_broken_connection(client: Motherlode, wire: Wire, folder: Path, tmp_path: Path) -> None:
    cache = HashCache(folder, place=tmp_path / "hashes")
    push_folder(client, "digits", folder, PushTerms(), cache=cache)
    wire.reset()
    wire.cut_after["down"] = 250_000
    pulled = pull_version(client, "digits", tmp_path / "out", cache=cache)
    assert pulled.files == 60
    assert bytes_of(tmp_path / "out") == bytes_of(folder)


def test_a_file_that_was_changed_here_is_fetched_again_by_force(lode: Lode, folder: Path, tmp_path: Path) -> None:
    lode("push", str(folder), "digits")
    out = tmp_path / "out"
    lode("pull", "digits", str(out))
    changed = out / "train" / "dog" / "001.png"
    changed.write_bytes(bytes(len(changed.read_bytes())))  # as long as before
    (out / "mine.png").write_bytes(png(5000))
    assert json.loads(lode("pull", "digits", str(out), "--force", "--json"))["fetched_files"] == 1
    assert bytes_of(out).pop("mine.png") == png(5000)
    assert changed.read_bytes() == (folder / "train" / "dog" / "001.png").read_bytes()


def test_a_link_does_not_lead_a_pull_out_of_its_folder(lode: Lode, folder: Path, tmp_path: Path) -> None:
    lode("push", str(folder), "digits")
    outside = tmp_path / "outside"
    outside.mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "train").symlink_to(outside)
    assert "key_unsafe" in lode("pull", "digits", str(tmp_path / "out"), code=1)
    assert not bytes_of(outside)


def test_what_no_file_can_be_called_is_left_out_of_a_pull_and_stays(lode: Lode, folder: Path, tmp_path: Path) -> None:
    lode("push", str(folder), "digits")
    # From before a new sample needed a name that can be pulled.
    for old, new in (("train/dog/001.png", "x" * 300 + ".png"), ("train/dog/003.png", "train/.hidden.png")):
        Sample.objects.filter(key=old).update(key=new)
    pulled = json.loads(lode("pull", "digits", str(tmp_path / "out"), "--json"))
    assert (pulled["files"], pulled["left_out"]) == (59, ["x" * 300 + ".png"])
    assert len(bytes_of(tmp_path / "out")) == 58  # and the hidden one
    assert len((tmp_path / "out" / ".motherlode" / "samples.jsonl").read_text().splitlines()) == 59
    pushed = json.loads(lode("push", str(tmp_path / "out"), "--delete", "--json"))
    assert (pushed["commit"]["removed"], pushed["commit"]["unchanged"]) == (0, 58)
    (tmp_path / "out" / "train" / ".hidden.png").unlink()
    assert json.loads(lode("push", str(tmp_path / "out"), "--delete", "--json"))["commit"]["removed"] == 1


def test_delete_stays_within_the_split_that_was_pulled(lode: Lode, folder: Path, tmp_path: Path) -> None:
    lode("push", str(folder), "digits")
    lode("pull", "digits", str(tmp_path / "out"), "--split", "train")
    (tmp_path / "out" / "train" / "dog" / "001.png").unlink()
    pushed = json.loads(lode("push", str(tmp_path / "out"), "--delete", "--json"))
    assert (pushed["commit"]["removed"], pushed["commit"]["unchanged"]) == (1, 53)
    lode("pull", "digits", str(tmp_path / "out"))
    assert len(bytes_of(tmp_path / "out")) == 59


def test_what_can_not_be_taken_is_said_and_the_rest_is_committed(lode: Lode, folder: Path) -> None:
    (folder / "train" / "cat" / "broken.png").write_bytes(b"no image")
    (folder / "train" / "cat" / "broken too.png").write_bytes(b"no image")
    (folder / "train" / "cat" / "back\\slash.png").write_bytes(png(700))
    pushed = json.loads(lode("push", str(folder), "digits", "--json", code=SOME_REFUSED))
    assert pushed["commit"]["added"] == 60
    found = {item["key"].rpartition("/")[2]: item["code"] for item in pushed["commit"]["rejected"]}
    assert found == {"broken.png": "not_an_image", "broken too.png": "not_an_image", "back\\slash.png": "key_malformed"}


def test_a_folder_of_nothing_but_faults_is_an_error(lode: Lode, tmp_path: Path) -> None:
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "1.png").write_bytes(b"no image")
    assert "nothing_accepted" in lode("push", str(tmp_path / "bad"), "digits", code=NOTHING_TAKEN)


def test_delete_removes_what_the_folder_lacks(lode: Lode, folder: Path, dataset: Dataset) -> None:
    lode("push", str(folder), "digits")
    (folder / "train" / "dog" / "001.png").unlink()
    (folder / "train" / "dog" / "003.png").write_bytes(b"no image now")  # not taken, but not absent either
    pushed = json.loads(lode("push", str(folder), "digits", "--delete", "--json", code=3))
    assert pushed["commit"]["removed"] == 1
    head = Version.objects.get(dataset=dataset, number=2)
    assert not head.revisions.filter(sample__key="train/dog/001.png").exists()


def test_a_stale_parent_is_refused_without_rebase(lode: Lode, folder: Path) -> None:
    lode("push", str(folder), "digits")
    (folder / "new.png").write_bytes(png(800))
    lode("push", str(folder), "digits")
    (folder / "newer.png").write_bytes(png(801))
    assert "stale_parent" in lode("push", str(folder), "digits", "--parent", "1", code=1)


def test_a_pulled_folder_knows_its_dataset(lode: Lode, folder: Path, tmp_path: Path) -> None:
    lode("push", str(folder), "digits")
    lode("pull", "digits", str(tmp_path / "out"))
    assert "unchanged" in lode("push", str(tmp_path / "out"))


def test_an_archive_goes_straight_to_the_store(lode: Lode, wire: Wire, folder: Path) -> None:
    packed = shutil.make_archive(str(folder.parent / "packed"), "tar", folder)
    wire.reset()
    process = lode.start("push", packed, "digits", "--direct")
    wait_until(Job.objects.exists)
    work_on(Job.objects.get().pk)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, out + err
    assert "60 added" in out
    assert wire.up < 20_000


def test_a_hash_is_remembered_until_the_file_changes(tmp_path: Path, folder: Path) -> None:
    def hashed() -> dict[str, str]:
        found = files_in(folder).images
        return {file.key: md5 for file, md5 in HashCache(folder, place=tmp_path / "hashes").digests(found)}

    first = hashed()
    (folder / "train" / "dog" / "001.png").write_bytes(png(900, (100, 100)))
    second = hashed()
    assert {key for key in first if first[key] != second[key]} == {"train/dog/001.png"}
    (tmp_path / "hashes").write_bytes(b"not a database")
    assert hashed() == second


def test_an_engineer_pushes_a_folder_and_an_archive_straight_to_the_store(
    wire: Wire, dataset: Dataset, eva: User, folder: Path, tmp_path: Path
) -> None:
    lode = Lode(wire, Token.objects.issue(eva, "lode")[1], tmp_path / "cache")
    assert "60 added" in lode("push", str(folder), dataset.name)
    wire.reset()
    assert "unchanged" in lode("push", str(folder), dataset.name)
    assert wire.up < 20_000
    packed = shutil.make_archive(str(tmp_path / "packed"), "tar", folder)
    process = lode.start("push", packed, dataset.name, "--direct")
    jobs = Job.objects.filter(kind="ingest")
    wait_until(jobs.exists)
    work_on(jobs.get().pk)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 0, out + err
