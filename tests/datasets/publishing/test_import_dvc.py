"""`lode dataset import-dvc`: another's DVC repository becomes a dataset, tag by tag, and comes out as it went in."""

import hashlib
import json
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.db import connection
from rest_framework.test import APIClient
from tests.datasets.conftest import png
from tests.datasets.publishing.conftest import Clients, drain, files_below
from tests.workers import environment, wait_until

from catalog.models import Dataset, Version
from catalog.publication.source import DatasetSource
from jobs.models import Job
from publishing.models import Publication

TAGS = {
    "one": {"cat/1.png": png(1), "dog/2.png": png(2)},
    "two": {"cat/1.png": png(1), "dog/2.png": png(22), "dog/3.png": png(3)},
    "three": {"dog/2.png": png(22), "dog/3.png": png(3)},
}
ONE_SECOND = {"GIT_COMMITTER_DATE": "2026-01-02T03:04:05Z"}  # a script makes its commits as fast as that


@pytest.fixture
def foreign(clients: Clients) -> Path:
    """A repository whose data lies in its own cache; time alone does not tell which of its commits came first."""
    clients.git("init", "-q", "theirs")
    clients.dvc("init", "-q", at="theirs")
    folder = clients.folder / "theirs"
    for tag, files in TAGS.items():
        for old in files_below(folder / "data") if (folder / "data").exists() else ():
            (folder / "data" / old).unlink()
        for name, content in files.items():
            (folder / "data" / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / "data" / name).write_bytes(content)
        clients.dvc("add", "-q", "data", at="theirs")
        clients.git("add", "-A", at="theirs")
        clients.git("commit", "-qm", tag, at="theirs", env=ONE_SECOND)
        clients.git("tag", tag, at="theirs")
    return folder


@pytest.fixture
def workers() -> Iterator[None]:
    """Jobs are done as they come: the command waits for them."""
    over = threading.Event()

    def work() -> None:
        while not over.wait(0.05):
            drain()
        connection.close()

    thread = threading.Thread(target=work)
    thread.start()
    yield
    over.set()
    thread.join()


def lode(clients: Clients, *arguments: str, err: bool = False, code: int = 0) -> str:
    env = {"MOTHERLODE_URL": clients.url, "MOTHERLODE_TOKEN": clients.token}
    argv = [sys.executable, "-c", "import sys; from motherlode.cli import main; main()", *arguments]
    done = subprocess.run(argv, env=environment() | env, capture_output=True, text=True, check=False, timeout=200)
    assert done.returncode == code, done.stdout + done.stderr
    return done.stderr if err else done.stdout


def test_every_tag_becomes_a_version_once(clients: Clients, foreign: Path, workers: None) -> None:
    lode(clients, "dataset", "import-dvc", str(foreign), "--rev", "one", "--name", "adopted")
    dataset = Dataset.objects.get(name="adopted")
    assert dataset.classes == ["cat", "dog"]
    said = lode(clients, "dataset", "import-dvc", str(foreign), "--all-tags", "--name", "adopted")
    assert said.count("is there already") == 1
    counts = Version.objects.filter(dataset=dataset).order_by("number").values_list("added", "updated", "removed")
    assert list(counts) == [(2, 0, 0), (1, 1, 0), (0, 0, 1)]
    document = lode(clients, "dataset", "import-dvc", str(foreign), "--all-tags", "--name", "adopted", "--json")
    known = {"dataset": "adopted", "revisions": [(name, None) for name in TAGS]}
    told = json.loads(document)
    assert told | {"revisions": [(one["revision"]["name"], one["commit"]) for one in told["revisions"]]} == known
    assert Version.objects.filter(dataset=dataset).count() == 3
    wait_until(lambda: not Job.objects.filter(state__in=Job.OPEN).exists())
    for number, files in enumerate(TAGS.values(), start=1):
        clients.dvc("get", clients.repository("adopted"), "data", "--rev", f"v{number}", "-o", f"v{number}")
        assert files_below(clients.folder / f"v{number}") == files


@pytest.mark.clock
def test_a_directory_that_is_not_there_is_told_and_makes_no_dataset(clients: Clients, foreign: Path) -> None:
    told = f"there is no directory nodata in {foreign} at HEAD"
    with pytest.raises(AssertionError, match=re.escape(told)):
        lode(clients, "dataset", "import-dvc", str(foreign), "--path", "nodata", "--name", "x")
    assert not Dataset.objects.filter(name="x").exists()


def test_what_dvc_can_t_read_is_told(clients: Clients, tmp_path: Path) -> None:
    with pytest.raises(AssertionError, match="dvc_failed"):
        lode(clients, "dataset", "import-dvc", str(tmp_path / "nowhere"))


@pytest.fixture
def remote(clients: Clients, foreign: Path) -> Path:
    """The remote of their head, and no cache beside it."""
    folder = clients.folder / "remote"
    clients.dvc("remote", "add", "-d", "theirs", str(folder), at="theirs")
    clients.dvc("push", "-q", at="theirs")
    clients.git("commit", "-qam", "remote", at="theirs")
    shutil.rmtree(foreign / ".dvc" / "cache")
    return folder


def stored(remote: Path, data: bytes) -> Path:
    digest = hashlib.md5(data, usedforsecurity=False).hexdigest()
    return remote / "files" / "md5" / digest[:2] / digest[2:]


def test_a_remote_that_is_gone_is_told_and_makes_no_dataset(clients: Clients, foreign: Path, remote: Path) -> None:
    shutil.rmtree(remote)
    with pytest.raises(AssertionError, match=r"(?s)dvc_failed .*failed to load directory.*was it pushed") as raised:
        lode(clients, "dataset", "import-dvc", str(foreign), "--name", "x")
    assert "Traceback" not in str(raised.value)
    assert not Dataset.objects.filter(name="x").exists()


def test_an_image_that_the_remote_has_altered_is_refused(clients: Clients, foreign: Path, remote: Path) -> None:
    image = stored(remote, png(3))
    image.chmod(0o644)
    image.write_bytes(png(4))
    with pytest.raises(AssertionError, match=r"(?s)dvc_failed .*sent other bytes for data/dog/3\.png"):
        lode(clients, "dataset", "import-dvc", str(foreign), "--name", "x", "--classes", "cat,dog")
    assert not Dataset.objects.filter(name="x").exists()


def test_what_is_left_out_is_counted_and_named_with_the_first(clients: Clients, foreign: Path, workers: None) -> None:
    (foreign / "data" / "boxes.csv").write_text("a,b")
    (foreign / "data" / "dog" / "bad.png").write_text("no image")
    clients.dvc("add", "-q", "data", at="theirs")
    clients.git("commit", "-qam", "more", at="theirs")
    said = lode(clients, "dataset", "import-dvc", str(foreign), "--name", "x", "--classes", "cat,dog", err=True, code=3)
    assert "left out, as not named like images: 1 file, the first boxes.csv" in said
    assert "rejected dog/bad.png: not_an_image" in said


def test_a_repository_whose_folders_name_no_classes_asks_for_them(
    clients: Clients, foreign: Path, workers: None
) -> None:
    with pytest.raises(AssertionError, match=r"classes_unknown .*--classes"):
        lode(clients, "dataset", "import-dvc", str(foreign), "--name", "x")  # of its head, only dog/ is left
    assert not Dataset.objects.filter(name="x").exists()
    lode(clients, "dataset", "import-dvc", str(foreign), "--name", "x", "--classes", "cat,dog")
    assert Dataset.objects.get(name="x").classes == ["cat", "dog"]


def test_labels_splits_and_classes_of_a_published_version_come_along(
    clients: Clients, pets: Dataset, api: APIClient, workers: None
) -> None:
    labels = [{"key": "a/1.png", "label": {"class": "dog"}}]
    assert api.post("/datasets/pets", {"labels": labels}, format="json").status_code == 201
    wait_until(lambda: Publication.objects.filter(number=3).exists())
    lode(clients, "dataset", "import-dvc", clients.repository("pets"), "--rev", "v3", "--name", "copy")
    copy = Dataset.objects.get(name="copy")
    assert (copy.task, copy.classes) == ("classification", ["cat", "dog"])
    theirs, ours = (DatasetSource().documents(*which)["labels.jsonl"] for which in (("pets", 3), ("copy", 1)))
    assert list(theirs) == list(ours)
