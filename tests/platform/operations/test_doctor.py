"""The doctor finds each fault that is planted, and nothing where there is none."""

import io
import json
import os
import re
import time
from contextlib import suppress
from datetime import timedelta
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import call_command
from django.db import connection
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone
from tests.broker import Broker
from tests.collecting import packed

from blobs.bucket import Bucket
from blobs.digests import sha256_of
from blobs.keys import blob_key
from blobs.models import Blob, StoredObject
from blobs.store import BlobStore
from config import health
from core import host_metrics, scheduled
from core.models import ScheduledTask
from embedded.state import take_lock
from jobs.models import Beat
from operations.doctor import machine
from operations.doctor import objects as looking

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("broker", "filled")]


@pytest.fixture(autouse=True)
def healthy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A platform's folder, a worker and a beat that were heard, and disks that are taken for large enough."""
    var = tmp_path / "var"
    var.mkdir(mode=0o700)
    monkeypatch.setattr(settings, "VAR_DIR", var)
    monkeypatch.setattr(machine, "FREE_SHARE", 0.0)
    Beat.objects.create(name="compute@here", host="here", seen=timezone.now())
    scheduled.note(scheduled.BEAT)
    return var


def findings(*flags: str) -> dict[str, dict[str, object]]:
    """What `doctor` finds, by check."""
    out = StringIO()
    with suppress(SystemExit):
        call_command("doctor", "--json", *flags, stdout=out)
    found = json.loads(out.getvalue())["findings"]
    return {one["check"]: one for one in found}


@pytest.mark.both
def test_nothing_is_wrong_with_a_healthy_platform() -> None:
    assert findings() == findings("--all") == {}
    out = StringIO()
    call_command("doctor", stdout=out)
    assert out.getvalue() == "Nothing is wrong. 9 blobs were read and verified.\n"


def test_a_finding_is_said_with_its_count_and_what_to_do(bucket: BlobStore) -> None:
    key = Blob.objects.get(size=1_500_000).key
    bucket.remove_object(key)
    out = StringIO()
    with pytest.raises(SystemExit) as end:
        call_command("doctor", stdout=out)
    assert end.value.code == 1
    assert f"missing from the object store, or too short. (1)\n    {key}\n  -> Restore them" in out.getvalue()


def test_a_missing_object(bucket: BlobStore) -> None:
    key = Blob.objects.get(size=1_500_000).key
    bucket.remove_object(key)
    found = findings()
    assert found.keys() == {"missing"}
    assert (found["missing"]["count"], found["missing"]["examples"]) == (1, [key])


def test_an_object_that_was_cut(bucket: BlobStore) -> None:
    key = Blob.objects.filter(key__startswith="packs/")[0].key
    Bucket(bucket.config).write(key, io.BytesIO(b"short"), size=5, sha256=sha256_of(b"short"))
    assert findings()["missing"]["examples"] == [key]


def test_a_flipped_byte_in_a_pack_and_one_in_a_large_object(bucket: BlobStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looking, "LARGE_BYTES", 1_000_000)
    member = Blob.objects.filter(key__startswith="packs/", offset__gt=0)[0]
    alone = Blob.objects.get(size=1_500_000)
    bucket.blank(member.key, [(member.offset + 7, 1)])
    bucket.blank(alone.key, [(70_000, 1)])
    found = findings("--all")
    assert found.keys() == {"corrupt"}
    assert found["corrupt"]["examples"] == [f"{one.md5} at {one.key}+{one.offset}" for one in (member, alone)]


def test_some_blobs_at_random_are_read_unless_all_are_asked_for(
    bucket: BlobStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(looking, "SAMPLED", 4)
    monkeypatch.setattr(looking, "RUN", 2)
    for blob in Blob.objects.exclude(size=1_500_000):
        bucket.blank(blob.key, [(blob.offset, blob.size)])
    assert findings("--all")["corrupt"]["count"] == 8
    assert 3 <= int(str(findings()["corrupt"]["count"])) <= 5


def test_an_orphan(bucket: BlobStore) -> None:
    key = blob_key("f" * 32)
    Bucket(bucket.config).write(key, io.BytesIO(b"whose?"), size=6, sha256=sha256_of(b"whose?"))
    found = findings()
    assert found.keys() == {"orphaned"}
    assert found["orphaned"]["examples"] == [key]


def test_what_waits_for_its_commit_or_for_the_collector_is_no_fault(bucket: BlobStore) -> None:
    bucket.put_bytes(b"sent, not committed" * 90_000)
    Blob.objects.filter(pk=packed([b"nobody's"])[0].pk).delete()
    StoredObject.objects.create(key=blob_key("a" * 32), size=5)  # entered, its writer was killed
    assert findings() == {}


def test_files_that_others_can_read(healthy: Path) -> None:
    (healthy / "secrets.json").write_text("{}")
    (healthy / "secrets.json").chmod(0o600)
    (healthy / "log").mkdir(mode=0o700)
    (healthy / "log" / "web.log").touch(mode=0o600)
    (healthy / "s3").mkdir(mode=0o700)
    (healthy / "s3" / "its own").touch(mode=0o600)
    (healthy / "s3" / "its own").chmod(0o644)
    assert "modes" not in findings()
    (healthy / "log" / "web.log").chmod(0o644)
    (healthy / "s3").chmod(0o755)
    found = findings()["modes"]
    assert found["examples"] == [f"{healthy / 's3'} (0755)", f"{healthy / 'log' / 'web.log'} (0644)"]


@pytest.mark.both
def test_a_token_that_others_can_read_in_production(healthy: Path) -> None:
    (healthy / "token").write_text("secret")
    (healthy / "token").chmod(0o640)
    assert findings()["modes"]["count"] == 1


@pytest.mark.both
def test_a_beat_that_is_silent_and_a_sweep_that_nobody_runs() -> None:
    scheduled.announce({"jobs.sweep": 5.0, "collector.collect": 24 * 3600.0})
    an_hour_ago = timezone.now() - timedelta(hours=1)
    assert findings() == {}
    ScheduledTask.objects.exclude(name=scheduled.BEAT).update(since=an_hour_ago)
    told = findings()["schedule"]["examples"]
    assert re.fullmatch(r"\['jobs.sweep has not run for 36\d\d s, due every 5 s'\]", str(told))
    ScheduledTask.objects.filter(name=scheduled.BEAT).update(ended=an_hour_ago)
    found = findings()
    assert found.keys() == {"beat"}
    assert "beat was last heard 36" in str(found["beat"]["words"])


def test_a_web_without_a_free_thread() -> None:
    host_metrics.web_threads.add((), (4.0, 4.0))
    try:
        assert "all 4 threads" in str(findings()["web"]["words"])
    finally:
        host_metrics.web_threads.add((), (-4.0, -4.0))
    assert findings() == {}


@pytest.mark.both
def test_no_worker() -> None:
    Beat.objects.all().delete()
    assert findings().keys() == {"workers"}


def test_an_embedded_platform_that_does_not_run_and_a_process_that_is_dead(healthy: Path) -> None:
    (healthy / "secrets.json").touch(mode=0o600)
    assert "not running" in str(findings()["processes"]["words"])
    state = {"pid": os.getpid(), "address": "http://127.0.0.1:1", "state": "ready", "processes": {
        "web": {"pid": os.getpid(), "state": "running", "restarts": 0, "log": "web.log"},
        "beat": {"pid": 2**22 + 1, "state": "running", "restarts": 3, "log": "beat.log"}}}  # fmt: skip
    (healthy / "supervisor.json").touch(mode=0o600)
    (healthy / "supervisor.json").write_text(json.dumps(state))
    lock = healthy / "supervisor.lock"
    lock.touch(mode=0o600)
    with take_lock(lock):
        assert findings()["processes"]["examples"] == ["beat (running; its log: beat.log)"]


@pytest.mark.both
def test_a_silent_broker_and_a_silent_store(broker: Broker, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health.PROBES["broker"], "ask", lambda: 1 / 0)
    assert "The broker" in str(findings()["services"]["words"])
    monkeypatch.setattr(health.PROBES["object_store"], "ask", lambda: 1 / 0)
    out = StringIO()
    with pytest.raises(SystemExit):
        call_command("doctor", stdout=out)
    assert "The object store is silent: objects were not looked at." in out.getvalue()


def test_a_disk_that_is_nearly_full(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "FREE_SHARE", 1.0)
    assert findings().keys() == {"disks"}


def test_clocks_that_go_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    """This machine's is set an hour ahead; SQLite has no clock of its own."""
    now = time.time
    monkeypatch.setattr("operations.doctor.machine.time.time", lambda: now() + 3600)
    said = [one.words for one in machine.store_clock() + machine.database_clock()]
    assert len(said) == (1 if connection.vendor == "sqlite" else 2)
    assert all("behind this machine's" in words for words in said)


@pytest.mark.both
def test_a_migration_that_is_not_applied() -> None:
    recorder = MigrationRecorder(connection)
    last = max(name for app, name in recorder.applied_migrations() if app == "labeling")
    recorder.record_unapplied("labeling", last)
    try:
        assert findings()["migrations"]["examples"] == [f"labeling.{last}"]
    finally:
        recorder.record_applied("labeling", last)
