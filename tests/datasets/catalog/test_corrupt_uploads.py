"""A thousand corrupt archives and annotation files, through the real endpoint: clear errors, never a 500.

Each starts from a sound upload of one of the layouts that tools write, and is cut, flipped, shuffled or lied to.
"""

import json
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from rest_framework.test import APIClient
from tests.datasets.catalog.test_ingest_upload import tar_of, zip_of
from tests.datasets.conftest import png, sent
from tests.datasets.formats.layouts import LAYOUTS, SIZE, Layout
from tests.laws import FULL
from tests.working import work_on

from accounts.models import User
from catalog.models import Dataset
from catalog.versions.datasets import create_dataset

pytestmark = [pytest.mark.usefixtures("object_store"), pytest.mark.django_db(transaction=True)]

TIMES = 1000 if FULL else 100
IMAGE = png(7, SIZE)
ODD: list[Any] = [None, True, -1, 0, 2**63, 2**70, 1e300, "", "\0", "\ud7ff", "../../x", "a" * 5000, [], {}, [[]], [{}]]
WORDS = [
    b"nan",
    b"inf",
    b"-1e999",
    b"9" * 400,
    b"\0",
    b"\xff\xfe",
    b"<!DOCTYPE a>",
    b"&amp;",
    b"*x",
    b"&x ",
    b"[" * 2000,
]
Corrupt = Callable[[random.Random, bytes], bytes]


def cut(dice: random.Random, data: bytes) -> bytes:
    return data[: dice.randrange(len(data) + 1)]


def flip(dice: random.Random, data: bytes) -> bytes:
    changed = bytearray(data or b"x")
    for _ in range(dice.choice([1, 1, 4, 64])):
        changed[dice.randrange(len(changed))] ^= 1 << dice.randrange(8)
    return bytes(changed)


def insert(dice: random.Random, data: bytes) -> bytes:
    at = dice.randrange(len(data) + 1)
    return data[:at] + dice.choice(WORDS) + data[at:]


def swap(dice: random.Random, data: bytes) -> bytes:
    """Two pieces in each other's place, as a bad merge leaves them."""
    one, two, three = sorted(dice.randrange(len(data) + 1) for _ in range(3))
    return data[two:three] + data[one:two] + data[:one] + data[three:]


def repeat(dice: random.Random, data: bytes) -> bytes:
    """A piece comes many times."""
    one, two = sorted(dice.randrange(len(data) + 1) for _ in range(2))
    return data[:two] + data[one:two][:256] * dice.choice([1, 3, 400]) + data[two:]


def lengthen(dice: random.Random, data: bytes) -> bytes:
    """A number somewhere, as lengths and offsets are written, becomes a huge one, or none, or one less than none."""
    width = dice.choice([1, 2, 4, 8])
    number = dice.choice([0, 1, (1 << 8 * width - 1) - 1, 1 << 8 * width - 1, (1 << 8 * width) - 1])
    at = dice.randrange(len(data) + 1)
    return data[:at] + number.to_bytes(width, dice.choice(["little", "big"])) + data[at + width :]


def retype(dice: random.Random, data: bytes) -> bytes:
    """One value of a JSON document becomes another kind of thing; one word of any other document."""
    try:
        value = json.loads(data)
    except ValueError:
        words = data.split(b" ")
        words[dice.randrange(len(words))] = dice.choice(WORDS)
        return b" ".join(words)
    places = list(all_places(value))
    if not places:
        return json.dumps(dice.choice(ODD)).encode()
    holder, name = dice.choice(places)
    if dice.random() < 0.2 and isinstance(holder, dict):
        del holder[name]
    else:
        holder[name] = dice.choice(ODD)
    return json.dumps(value).encode()


def all_places(value: Any) -> list[tuple[Any, Any]]:
    """(container, key or index) of every value inside a document."""
    found: list[tuple[Any, Any]] = []
    for name in list(value) if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        found.append((value, name))
        found += all_places(value[name])
    return found


def packed(kind: str, members: dict[str, bytes]) -> bytes:
    return zip_of(members) if kind == "zip" else tar_of(members, "w:gz" if kind == "tar.gz" else "w")


def upload(dice: random.Random, layout: Layout) -> dict[str, Any]:
    """The form of one corrupt upload."""
    kind, form = dice.choice(["zip", "tar", "tar.gz"]), dice.choice(["auto", "auto", layout.format])
    documents = {path: text.encode() for path, text in layout.documents.items()}
    images = dict.fromkeys(layout.images, IMAGE)
    if not documents or dice.random() < 0.25:
        content = dice.choice([cut, flip, insert, swap])(dice, packed(kind, images | documents))
        return {"archive": sent(f"a.{kind}", content), "format": form}
    spoilt: list[Corrupt] = [cut, flip, insert, swap, retype, retype]
    name = dice.choice(sorted(documents))
    documents[name] = dice.choice(spoilt)(dice, documents[name])
    if len(documents) == 1 and dice.random() < 0.3:
        files = [sent(path.replace("/", "_"), image) for path, image in images.items()]
        return {"files": files, "annotations": sent(name, documents[name]), "format": form}
    return {"archive": sent(f"a.{kind}", packed(kind, images | documents)), "format": form}


@pytest.fixture
def targets(alice: User) -> dict[str, Dataset]:
    """A dataset for each task."""
    return {
        task: create_dataset(task, task=task, classes=["car", "dog"], description="", author=alice)
        for task in ("classification", "detection")
    }


@pytest.mark.timeout(900)
def test_corrupt_uploads_give_clear_errors_and_no_500(api: APIClient, targets: dict[str, Dataset]) -> None:
    dice = random.Random(20261121)
    seen: Counter[str] = Counter()
    api.raise_request_exception = False  # what a view lets through is to be seen as the 500 it would be
    for number in range(TIMES):
        layout = dice.choice(list(LAYOUTS.values()))
        dataset = targets[layout.task]
        before = head(dataset)
        answer = api.post(f"/datasets/{dataset.name}", upload(dice, layout))
        document = answer.json()
        assert answer.status_code in {201, 202, 400, 413}, (number, answer.status_code, document)
        if answer.status_code == 202:
            work_on(document["job"]["id"])
            job = api.get(f"/jobs/{document['job']['id']}").json()
            assert job["state"] == "succeeded" or job["error"]["code"] != "failed", (number, job["error"])
        elif answer.status_code != 201:
            seen[document["code"]] += 1
            assert document["detail"].strip(), (number, document)
            assert "Traceback" not in document["detail"]
            assert head(dataset) == before, (number, "a refused upload left something")
        else:
            seen["taken"] += 1
            seen.update({item["code"] for item in document["rejected"]})
            for item in document["rejected"]:
                assert item["detail"].strip(), (number, item)
    # The dice do reach what they are thrown for: most uploads are refused, in more than one way.
    assert seen["annotations_unreadable"] > TIMES / 10, seen
    assert {"archive_corrupt", "nothing_accepted", "annotations_unreadable"} <= seen.keys(), seen


def head(dataset: Dataset) -> int | None:
    dataset.refresh_from_db()
    return dataset.head_id


def test_each_layout_is_taken_when_nothing_is_wrong_with_it(api: APIClient, targets: dict[str, Dataset]) -> None:
    for name, layout in LAYOUTS.items():
        documents = {path: text.encode() for path, text in layout.documents.items()}
        members = dict.fromkeys(layout.images, IMAGE) | documents
        answer = api.post(f"/datasets/{layout.task}", {"archive": sent("a.zip", zip_of(members))})
        assert answer.status_code == 201, (name, answer.json())
        assert answer.json()["recognised"]["format"] == layout.format
        assert answer.json()["rejected"] == [], name
