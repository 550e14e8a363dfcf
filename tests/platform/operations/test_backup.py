"""Backups beside work that goes on, restored elsewhere and compared; killed ones, and ones of a damaged store."""

import errno
import json
import os
import pty
import random
import signal
import subprocess
import sys
import threading
import urllib.request
from contextlib import suppress
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from tests import settings as profile
from tests.collecting import collected, in_ledger, packed, put_in
from tests.platform.operations.places import Place, files_below, through
from tests.relay import Relay
from tests.threads import in_thread
from tests.web import Web
from tests.workers import ROOT, environment, wait_until
from tests.working import work_on

from accounts.models import Token, User
from blobs.digests import digests_of
from blobs.keys import pack_key
from blobs.models import Blob, StoredObject
from blobs.services import keep_bytes
from blobs.store import BlobStore
from catalog.changes.sets import ChangeSet, SampleChange
from catalog.erasure.rows import start_erasure
from catalog.models import Dataset, Revision
from catalog.versions.commit import commit
from catalog.versions.datasets import create_dataset
from core.errors import Unavailable
from jobs.models import Job, Shard
from operations import backup as backing_up
from operations.backup import back_up, listed
from operations.errors import OperationError
from operations.manifest import Manifest
from operations.progress import Progress

pytestmark = pytest.mark.django_db(transaction=True)

State = dict[str, tuple[str, str | None]]


def said_by(web: Web, secret: str, dataset: str, number: int) -> State:
    """Samples of a version, through the API: digest and class by key."""
    found = json.loads(got(web, secret, f"/datasets/{dataset}/versions/{number}/samples?limit=500"))["results"]
    return {one["key"]: (one["digest"], (one["label"] or {}).get("class")) for one in found}


def got(web: Web, secret: str, address: str) -> bytes:
    request = urllib.request.Request(f"{web.url}{address}", headers={"Authorization": f"Bearer {secret}"})  # noqa: S310 - ours
    with urllib.request.urlopen(request, timeout=30) as answer:  # noqa: S310 - as above
        return bytes(answer.read())


def commits_until(ended: threading.Event, dataset: Dataset, states: list[State]) -> None:
    """Adds samples and changes labels, one commit after the other; notes what each version holds."""
    dice = random.Random(1)
    while not ended.is_set() and len(states) < 60:
        state = dict(states[-1]) if states else {}
        relabelled = dice.sample(sorted(state), min(2, len(state)))
        blobs = [dice.randbytes(3000) for _ in range(3)]
        try:
            rows = {f"{len(states)}-{n}.png": blob for n, blob in enumerate(packed(blobs))}
            changes = [SampleChange(key, blob=blob, label={"class": "cat"}) for key, blob in rows.items()]
            changes += [SampleChange(key, label={"class": "dog"}) for key in relabelled]
            commit(dataset, ChangeSet(changes), author=dataset.created_by)
        except Unavailable:
            continue  # the collection beside it, which knows no time of grace, was faster
        state |= {key: (blob.md5, "cat") for key, blob in rows.items()}
        state |= {key: (state[key][0], "dog") for key in relabelled}
        states.append(state)


def churns_until(ended: threading.Event, dataset: Dataset) -> None:
    """Uploads that are taken away again, and collections without a time of grace: objects do vanish."""
    dice = random.Random(2)
    turn = 0
    while not ended.is_set():
        turn += 1
        try:
            blobs = packed([dice.randbytes(2000) for _ in range(4)])
            put_in(dataset, {f"{turn}-{n}": blob for n, blob in enumerate(blobs)})
        except Unavailable:
            continue  # collected before its commit
        Revision.objects.filter(sample__dataset=dataset).delete()
        if turn % 5 == 0:
            collected()


@pytest.mark.production
@pytest.mark.clock
def test_a_backup_beside_commits_and_collections_is_the_platform_of_one_moment(
    alice: User, dataset: Dataset, place: Place, tmp_path: Path
) -> None:
    _, secret = Token.objects.issue(alice, "test")
    other = create_dataset("churn", task="classification", classes=["cat"], description="", author=alice)
    states: list[State] = []
    ended = threading.Event()
    threads = [in_thread(lambda: commits_until(ended, dataset, states)), in_thread(lambda: churns_until(ended, other))]
    try:
        wait_until(lambda: len(states) > 5)
        folder = tmp_path / "backup"
        back_up(folder, Progress())
        outcome = back_up(folder, Progress())
        during = len(states)
    finally:
        ended.set()
        for thread in threads:
            thread.join()
    assert outcome.manifest.damaged == {}
    done = place.run("restore", str(folder))
    assert done.returncode == 0, done.stderr
    assert "The platform is restored" in done.stdout

    with place.asked() as alias:
        head = Dataset.objects.using(alias).get(name="frames").versions.count()
        refs = [blob.ref for blob in Blob.objects.using(alias).filter(pk__in=Revision.objects.values("blob"))]
    assert len(list(place.store.get_many(refs))) == len(refs) > 0
    assert 5 <= head <= during + 1

    web = Web(place.env, tmp_path / "web.log")
    try:
        for number in range(1, head + 1):
            assert said_by(web, secret, "frames", number) == states[number - 1]
        digest, _ = states[head - 1]["0-0.png"]
        assert digests_of(got(web, secret, f"/blobs/{digest}")).md5 == digest
    finally:
        web.kill()


def test_a_second_backup_copies_only_what_is_new_and_drops_what_is_gone(
    filled: Dataset, place: Place, tmp_path: Path
) -> None:
    folder = tmp_path / "backup"
    first = back_up(folder, Progress())
    assert first.copied == first.manifest.objects == len(in_ledger())
    again = back_up(folder, Progress())
    assert (again.copied, again.pruned) == (0, 0)
    put_in(filled, {"new.png": packed([b"new" * 100])[0]})
    assert back_up(folder, Progress()).copied == 1
    Revision.objects.filter(sample__key="8.png").delete()
    collected()
    last = back_up(folder, Progress())
    assert last.pruned > 0
    assert {path.name for path in files_below(folder)} == {one.sha256 for one in listed(folder, last.manifest)}
    assert len(list(folder.glob("database-*"))) == len(list(folder.glob("objects-*"))) == 1
    assert place.run("restore", str(folder)).returncode == 0


def test_only_the_owner_can_read_a_backup(filled: Dataset, tmp_path: Path) -> None:
    folder = tmp_path / "backup"
    argv = [sys.executable, str(ROOT / "manage.py"), "backup", str(folder)]
    done = subprocess.run(argv, env=environment(), capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    paths = [folder, *folder.rglob("*")]
    assert len(paths) > 5
    assert [path for path in paths if path.stat().st_mode & 0o077] == []


@pytest.mark.clock
def test_what_is_erased_during_a_backup_is_not_in_it(
    filled: Dataset, place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The moment that named it is given up for a newer one."""
    copy = backing_up._copy
    erased: list[str] = []

    def erase_first(*args: object) -> dict[str, str]:
        if not erased:
            erased.append(blob_of("3.png").md5)
            job = start_erasure(filled, ["3.png"], reason="", confirm=filled.name, by=filled.created_by)
            work_on(job.pk)
            job.refresh_from_db()
            assert job.state == Job.State.SUCCEEDED, job.error
        return copy(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(backing_up, "_copy", erase_first)
    folder = tmp_path / "backup"
    assert back_up(folder, Progress()).manifest.damaged == {}
    assert not any(b"03" * 500 in path.read_bytes() for path in files_below(folder))
    assert place.run("restore", str(folder)).returncode == 0
    with place.asked() as alias:
        assert not Blob.objects.using(alias).filter(md5=erased[0]).exists()
        refs = [blob.ref for blob in Blob.objects.using(alias).filter(pk__in=Revision.objects.values("blob"))]
    assert len(list(place.store.get_many(refs))) == 8


def test_a_killed_backup_is_none_and_the_next_goes_on(
    filled: Dataset, bucket: BlobStore, relay: Relay, place: Place, tmp_path: Path
) -> None:
    for _ in range(150):
        keep_bytes(os.urandom(100_000), media_type="image/png")
    folder = tmp_path / "backup"
    argv = [sys.executable, str(ROOT / "manage.py"), "backup", str(folder)]
    env = environment() | through(relay, bucket.config)
    for _ in range(2):
        relay.freeze_in(3_000_000)
        process = subprocess.Popen(argv, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        wait_until(lambda: relay.is_frozen)
        process.send_signal(signal.SIGKILL)
        assert process.wait(30) != 0
        relay.thaw()
        assert Manifest.read(folder) is None
    refused = place.run("restore", str(folder))
    assert refused.returncode == 1
    assert "no finished backup" in refused.stderr
    there = len(files_below(folder))
    assert there > 20
    last = back_up(folder, Progress())
    assert last.copied < last.manifest.objects - there // 2
    assert not list((folder / "objects").glob("part-*"))
    assert place.run("restore", str(folder)).returncode == 0


@pytest.mark.clock
def test_a_former_backup_stays_whole_while_the_next_is_killed(
    filled: Dataset, place: Place, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "backup"
    first = back_up(folder, Progress()).manifest
    put_in(filled, {"new.png": packed([b"new" * 100])[0]})
    with monkeypatch.context() as patch:
        patch.setattr(backing_up, "_finish", interrupted)
        with pytest.raises(KeyboardInterrupt):
            back_up(folder, Progress())
    assert Manifest.read(folder) == first
    assert place.run("restore", str(folder)).returncode == 0


def blob_of(key: str) -> Blob:
    return Revision.objects.filter(sample__key=key).select_related("blob")[0].blob


def interrupted(*_: object) -> None:
    raise KeyboardInterrupt


@pytest.mark.clock
def test_what_the_store_has_lost_or_spoilt_is_named_and_all_else_is_backed_up(
    filled: Dataset, bucket: BlobStore, place: Place, tmp_path: Path
) -> None:
    alone = blob_of("8.png")
    pack = blob_of("0.png")
    bucket.remove_object(alone.key)
    bucket.blank(pack.key, [(pack.offset, 1)])
    folder = tmp_path / "backup"
    done = subprocess.run([sys.executable, str(ROOT / "manage.py"), "backup", str(folder)], env=environment(),
                          capture_output=True, text=True, check=False)  # fmt: skip
    assert done.returncode == 1
    assert f"{alone.key}: missing" in done.stderr
    assert f"{pack.key}: not the bytes" in done.stderr
    restored = place.run("restore", str(folder))
    assert restored.returncode == 1
    assert "Not as before: 2 objects; all else is" in restored.stderr
    with place.asked() as alias:
        refs = [blob.ref for blob in Blob.objects.using(alias).filter(key=pack.key).exclude(md5=pack.md5)]
    assert len(list(place.store.get_many(refs))) == 7
    bucket.put_bytes(b"alone" * 300_000)  # somebody mends it
    assert list(back_up(folder, Progress()).manifest.damaged) == [pack.key]


def test_an_object_whose_parts_are_still_to_be_blanked_must_be_there(filled: Dataset, tmp_path: Path) -> None:
    """Or the collection of the restored platform would look for it for ever."""
    state = StoredObject.State.CLOSED
    row = StoredObject.objects.create(key=pack_key("a" * 64), size=5, state=state, moved=True, blanks=[[0, 1]])
    assert list(back_up(tmp_path / "backup", Progress()).manifest.damaged) == [row.key]


def test_a_folder_with_other_things_is_refused(filled: Dataset, tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(OperationError, match="name an empty folder"):
        back_up(tmp_path, Progress())
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["thesis.txt"]


def test_running_jobs_of_the_snapshot_are_taken_up_by_the_restored_platform(
    filled: Dataset, alice: User, place: Place, tmp_path: Path
) -> None:
    params = {"dry_run": True, "grace": 24}
    job = Job.objects.create(kind="collect", title="under way", state=Job.State.RUNNING, params=params, unit="rows")
    Shard.objects.create(job=job, index=0, params=params, state=Shard.State.RUNNING, owner="lost", token=1, attempts=1,
                         lease_until="2026-01-01T00:00:00Z")  # fmt: skip
    back_up(tmp_path / "backup", Progress())
    assert place.run("restore", str(tmp_path / "backup")).returncode == 0
    code = f"import django; django.setup(); from tests.working import work_on; work_on({job.pk})"
    subprocess.run([sys.executable, "-c", code], env=place.env, cwd=ROOT, check=True, timeout=100)
    with place.asked() as alias:
        assert Job.objects.using(alias).get(pk=job.pk).state == Job.State.SUCCEEDED


@pytest.mark.both
@pytest.mark.skipif(profile.PROFILE != "production", reason="SQLite needs no program of others")
def test_without_the_programs_of_postgresql_it_says_what_to_install(
    filled: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CommandError, match="pg_dump is not on this machine: install PostgreSQL's client programs"):
        call_command("backup", str(tmp_path / "backup"))


def test_a_full_disk_ends_it_in_words_and_leaves_no_part(
    filled: Dataset, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr("operations.folder.settle", full)
        with pytest.raises(CommandError, match=r"No space left on device\n.*Once that is put right, run it again"):
            call_command("backup", str(tmp_path / "backup"))
    assert files_below(tmp_path / "backup") == []
    call_command("backup", str(tmp_path / "backup"))
    assert Manifest.read(tmp_path / "backup") is not None


@pytest.mark.clock
def test_ctrl_c_ends_it_in_words_and_the_next_goes_on_and_bars_show_on_a_terminal(
    filled: Dataset, bucket: BlobStore, relay: Relay, tmp_path: Path
) -> None:
    for _ in range(300):
        keep_bytes(os.urandom(100_000), media_type="image/png")
    folder = tmp_path / "backup"
    shown, terminal = pty.openpty()
    argv = [sys.executable, str(ROOT / "manage.py"), "backup", str(folder)]
    relay.freeze_in(3_000_000)
    env = environment() | through(relay, bucket.config) | {"TERM": "xterm", "COLUMNS": "120"}
    process = subprocess.Popen(argv, env=env, stderr=terminal, stdout=subprocess.DEVNULL)
    os.close(terminal)
    wait_until(lambda: relay.is_frozen)
    process.send_signal(signal.SIGINT)
    relay.thaw()
    said = b""
    with suppress(OSError):  # the end of a terminal that nobody holds any more
        while part := os.read(shown, 4096):
            said += part
    os.close(shown)
    assert process.wait(30) == 130, said.decode()
    assert b"Objects" in said
    assert b"Stopped. Run it again: it goes on." in said
    there = len(files_below(folder))
    assert back_up(folder, Progress()).copied <= 302 - there
