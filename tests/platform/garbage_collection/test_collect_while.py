"""Collections beside commits, killed collections, and any order of everything: what is wanted stays, the rest goes."""

import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from hypothesis import HealthCheck, settings
from hypothesis import strategies as some
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from tests.collecting import Killed, collected, in_ledger, killing_at, packed, put_in
from tests.laws import FULL, examples
from tests.threads import at_once
from tests.workers import environment
from tests.working import work_on

from accounts.models import User
from blobs.digests import digests_of
from blobs.models import Blob, StoredObject
from blobs.packs import PackWriter
from blobs.services import by_md5, store
from blobs.store import BlobStore
from catalog.changes.sets import ChangeSet, SampleChange
from catalog.erasure.rows import start_erasure
from catalog.models import Dataset, Revision
from catalog.versions.commit import commit
from catalog.versions.datasets import create_dataset
from core.errors import Unavailable
from jobs.models import Job
from jobs.services import ShardSpec, create_job

pytestmark = pytest.mark.production

Keys = Callable[[], set[str]]
TRIES = 50


def upload(dataset: Dataset, files: dict[str, bytes]) -> None:
    """As ingest does it: send what is not known, commit, and begin again when bytes went in between."""
    for _ in range(TRIES):
        digests = {key: digests_of(data) for key, data in files.items()}
        known = by_md5([one.md5 for one in digests.values()])
        sent = {key: data for key, data in files.items() if digests[key].md5 not in known}
        with PackWriter(store(), target_bytes=2000) as writer:
            for data in sent.values():
                writer.add(data)
            refs = dict(zip(sent, writer.close(), strict=True))
        blobs = {
            key: Blob.row(refs[key], width=1, height=1) if key in refs else known[one.md5]
            for key, one in digests.items()
        }
        try:
            commit(dataset, ChangeSet([SampleChange(key, blob=blob) for key, blob in blobs.items()]),
                   author=dataset.created_by)  # fmt: skip
        except Unavailable as error:
            assert error.code == "bytes_collected"  # noqa: PT017 - nothing else may be
            continue
        return
    pytest.fail("the collector was always faster")


def read_back() -> None:
    """Every blob that anything refers to reads back, verified."""
    refs = [blob.ref for blob in Blob.objects.filter(pk__in=Revision.objects.values("blob"))]
    store().forget([ref.md5 for ref in refs])
    assert len(list(BlobStore(store().config).get_many(refs))) == len(refs)


@pytest.mark.django_db(transaction=True)
def test_collections_beside_uploads_of_the_same_bytes_lose_nothing(
    bucket: BlobStore, alice: User, keys_in: Keys
) -> None:
    """No time of grace at all: whatever is not referred to at some moment goes, and comes again from its uploader."""
    datasets = [
        create_dataset(f"d{n}", task="classification", classes=["cat"], description="", author=alice) for n in range(2)
    ]
    pool = [f"{n:04d}".encode() * 30 for n in range(12)] + [b"large" * 300_000]
    ended = threading.Event()

    def work(number: int) -> int:
        dice = random.Random(number)
        if number < 2:
            until = time.monotonic() + 12
            for turn in range(examples(40)):
                if time.monotonic() > until:
                    break
                files = {f"{number}-{turn}-{n}": data for n, data in enumerate(dice.sample(pool, 4))}
                upload(datasets[number], files)
                keys = [row for row in datasets[number].samples.values_list("key", flat=True) if dice.random() < 0.5]
                Revision.objects.filter(sample__dataset=datasets[number], sample__key__in=keys).delete()
            ended.set()
            return 0
        rounds = 0
        while not ended.is_set():
            collected()
            rounds += 1
        return rounds

    counts = at_once(4, work)
    assert min(counts[2:]) > 1, "the collections hardly ran"
    assert StoredObject.objects.filter(state="gone").exists()
    read_back()
    collected()
    # A writer may have put an object after it was closed: a week later it is removed for good.
    StoredObject.objects.filter(state="gone").update(closed=timezone.now() - timedelta(days=8))
    collected()
    read_back()
    assert keys_in() == in_ledger()
    assert set(Blob.objects.values_list("pk", flat=True)) == set(Revision.objects.values_list("blob", flat=True))


@pytest.mark.django_db(transaction=True)
def test_a_collection_that_is_killed_anywhere_is_finished_by_the_next(
    bucket: BlobStore, dataset: Dataset, keys_in: Keys, monkeypatch: pytest.MonkeyPatch
) -> None:
    kills = rounds = 0
    for step in range(1, 200, 1 if FULL else 3):
        rounds += 1
        items = [f"{step:04d}{n:04d}".encode() * 20 for n in range(6)]
        blobs = packed([*items, b"%d" % step * 400_000])
        put_in(dataset, {f"{step}-{n}": blob for n, blob in enumerate(blobs[:2])})
        with monkeypatch.context() as patch, killing_at(step, patch) as armed:
            try:
                collected()
            except Killed:
                kills += 1
        read_back()
        collected()
        assert keys_in() == in_ledger() == set(Blob.objects.values_list("key", flat=True))
        read_back()
        if not armed.fired:
            break
    assert kills > (10 if FULL else 3)
    assert Blob.objects.count() == 2 * rounds


SCRIPT = """
import django; django.setup()
from tests.working import work_on
work_on(%d)
"""


@pytest.mark.django_db(transaction=True)
def test_a_job_whose_worker_is_killed_reports_all_that_it_did(
    bucket: BlobStore, dataset: Dataset, keys_in: Keys
) -> None:
    for _ in range(30):
        packed([random.randbytes(500) for _ in range(20)])
    kept = packed([b"kept"])
    put_in(dataset, {"kept": kept[0]})
    params = {"dry_run": False, "grace": 0}
    job = create_job("collect", "hunted", shards=[ShardSpec(params)], params=params)
    for attempt in range(8):
        process = subprocess.Popen([sys.executable, "-c", SCRIPT % job.pk], env=environment() | {
            "DJANGO_SETTINGS_MODULE": "tests.settings"}, cwd=Path(__file__).resolve().parents[3])  # fmt: skip
        wait = time.monotonic() + 30
        while not job.shards.filter(state="running").exists() and process.poll() is None and time.monotonic() < wait:
            time.sleep(0.02)
        if attempt < 5 and (FULL or attempt % 2 == 0):
            time.sleep(0.04 * attempt)
            process.send_signal(signal.SIGKILL)
        process.wait(60)
        job.refresh_from_db()
        if not job.is_open:
            break
        job.shards.update(lease_until=None, state="todo")
    assert job.state == Job.State.SUCCEEDED, job.error
    result = job.result or {}
    assert (result["blobs"], result["objects"], result["kept"]) == (600, 30, 1)
    assert keys_in() == in_ledger() == {kept[0].key}


class Life(RuleBasedStateMachine):
    """Uploads, commits, removals, erasures and collections in any order, beside a plain dictionary."""

    def __init__(self) -> None:
        super().__init__()
        self.model: dict[int, dict[str, bytes]] = {}
        self.history: dict[int, list[dict[str, bytes]]] = {}
        self.turn = 0

    @initialize()
    def begin(self) -> None:
        """Two empty datasets in an empty house."""
        Revision.objects.all().delete()
        Dataset.objects.update(head=None)
        collected()
        collected()
        author = User.objects.first()
        assert author is not None
        name = f"d{Dataset.objects.count()}"
        self.datasets = [
            create_dataset(f"{name}-{n}", task="classification", classes=["cat"], description="", author=author)
            for n in range(2)
        ]
        self.model = {0: {}, 1: {}}
        self.history = {0: [], 1: []}

    @rule(which=some.integers(0, 1), keys=some.sets(some.sampled_from("abcdef"), min_size=1), seed=some.integers(0, 9))
    def send(self, which: int, keys: set[str], seed: int) -> None:
        """An upload and its commit; bytes are often those of others."""
        files = {key: b"%d-%d" % (seed, number % 3) * 50 for number, key in enumerate(sorted(keys))}
        upload(self.datasets[which], files)
        if self.model[which] != self.model[which] | files:
            self.model[which] = self.model[which] | files
            self.history[which].append(dict(self.model[which]))

    @rule(seed=some.integers(0, 9))
    def abandon(self, seed: int) -> None:
        """An upload that is never committed."""
        with PackWriter(store(), target_bytes=100) as writer:
            for number in range(4):
                writer.add(b"%d-%d" % (seed, number) * 50)
            writer.close()

    @precondition(lambda self: any(self.model.values()))
    @rule(data=some.data())
    def erase(self, data: some.DataObject) -> None:
        """Out of everything."""
        which = data.draw(some.sampled_from([n for n, held in self.model.items() if held]))
        key = data.draw(some.sampled_from(sorted(self.model[which])))
        dataset = self.datasets[which]
        job = start_erasure(dataset, [key], reason="", confirm=dataset.name, by=dataset.created_by)
        work_on(job.pk)
        job.refresh_from_db()
        assert job.state == Job.State.SUCCEEDED, job.error
        self.model[which].pop(key)
        self.history[which] = [{name: held for name, held in one.items() if name != key} for one in self.history[which]]

    @precondition(lambda self: any(self.model.values()))
    @rule(data=some.data())
    def take_out(self, data: some.DataObject) -> None:
        """Removed from the head; older versions hold it."""
        which = data.draw(some.sampled_from([n for n, held in self.model.items() if held]))
        key = data.draw(some.sampled_from(sorted(self.model[which])))
        put_in(self.datasets[which], {}, remove=(key,))
        self.model[which].pop(key)
        self.history[which].append(dict(self.model[which]))

    @rule()
    def collect(self) -> None:
        """Without a time of grace: after it, nothing that is not wanted is left."""
        collected()
        wanted = set(Revision.objects.values_list("blob", flat=True))
        assert set(Blob.objects.values_list("pk", flat=True)) == wanted
        used = set(Blob.objects.values_list("key", flat=True))
        assert in_ledger() == used

    @invariant()
    def every_version_is_as_it_was(self) -> None:
        """But for what was erased."""
        for which, versions in self.history.items():
            found = list(self.datasets[which].versions.order_by("number")) if versions else []
            for version, expected in zip(found, versions, strict=True):
                rows = list(version.revisions.select_related("sample", "blob"))
                assert {row.sample.key: store().get(row.blob.ref) for row in rows} == expected
                assert version.counts["samples"] == len(expected)


@pytest.mark.django_db(transaction=True)
def test_any_order_of_uploads_removals_erasures_and_collections(bucket: BlobStore, alice: User, keys_in: Keys) -> None:
    class Checked(Life):
        @rule()
        def the_bucket_holds_what_the_ledger_says(self) -> None:
            """A test may list it."""
            assert keys_in() == in_ledger()

    limits = settings(
        max_examples=examples(8), stateful_step_count=14, suppress_health_check=list(HealthCheck), print_blob=True
    )
    run_state_machine_as_test(Checked, settings=limits)
