"""Mutants of archives, images, annotation files, models and JSON, through the doors where they enter: no 500, no thread
held for long, memory that does not grow. A hundred of each in the ordinary run, 2,000 under `-m clock`; figures are
printed."""

import gzip
import io
import json
import os
import random
import re
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from PIL import Image
from rest_framework.test import APIClient
from tests.datasets.catalog.test_corrupt_uploads import (
    cut,
    flip,
    insert,
    lengthen,
    repeat,
    retype,
    swap,
    upload,
)
from tests.datasets.catalog.test_ingest_upload import tar_of, zip_of
from tests.datasets.conftest import png, sent
from tests.datasets.formats.layouts import LAYOUTS
from tests.models.registry.shipped import hungry, shipped, version_of
from tests.working import work_on

from accounts.models import User
from blobs import images
from blobs.services import keep_bytes
from catalog.versions.datasets import create_dataset
from registry import predicting
from registry.models import Artifact, ModelVersion
from worker_programs.confinement import held_by

pytestmark = [pytest.mark.usefixtures("object_store"), pytest.mark.django_db(transaction=True)]
LONGEST_SECONDS = 5.0  # of the thread's own time: a busy machine takes nothing of that
LONGEST_WAIT = 30.0  # for the decoder and the predictor too, on a machine that is busy with other things
MOST_GROWTH = 400 << 20
KINDS = ("PNG", "JPEG", "WEBP", "GIF", "TIFF", "BMP", "AVIF")
MANGLERS = (cut, flip, insert, swap, repeat, lengthen)


@dataclass
class Figures:
    """What a run of mutants came to."""

    answers: Counter[str] = field(default_factory=Counter)
    longest: float = 0.0
    worked: float = 0.0
    memory: list[int] = field(default_factory=list)
    slowest: str = ""

    def note(self, ask: Callable[[], Any]) -> Any:
        started, worked = time.monotonic(), time.thread_time()
        answer = ask()
        if (took := time.monotonic() - started) > self.longest:
            self.longest, self.slowest = took, f"number {len(self.memory)}, {answer.wsgi_request.path}"
        self.worked = max(self.worked, time.thread_time() - worked)
        self.answers[str(answer.status_code)] += 1
        self.memory.append(held())
        assert answer.status_code < 500, (answer.status_code, answer.content)
        return answer

    def check(self, what: str) -> None:
        growth = max(self.memory) - self.memory[len(self.memory) // 10]
        told = f"longest {self.longest:.2f} s ({self.slowest}), {self.worked:.2f} s of the thread's own"
        grown = f"memory {max(self.memory) >> 20} MiB at most, {growth >> 20} MiB more than after a tenth"
        print(f"\n{what}: {sum(self.answers.values())} mutants, {dict(self.answers)}, {told}, {grown}")  # noqa: T201
        assert self.worked < LONGEST_SECONDS
        assert self.longest < LONGEST_WAIT
        assert growth < MOST_GROWTH


def held() -> int:
    """What this process, its decoder and its predictor hold."""
    decoder = images._child._process
    children = [decoder.pid if decoder else None, predicting.predictor().pid]
    return sum(held_by(pid) for pid in (os.getpid(), *children) if pid)


@pytest.fixture(params=[40, pytest.param(2000, marks=[pytest.mark.clock, pytest.mark.timeout(3600)])])
def times(request: pytest.FixtureRequest) -> int:
    count: int = request.param
    return count


@pytest.fixture
def mutants(api: APIClient, alice: User) -> APIClient:
    for task in ("classification", "detection"):
        create_dataset(task, task=task, classes=["car", "dog"], description="", author=alice)
    api.raise_request_exception = False
    return api


@pytest.fixture
def version(alice: User) -> ModelVersion:
    return version_of(shipped(), alice)


@pytest.mark.parametrize("kind", ["tar", "tar.gz", "zip"])
def test_mutants_of_archives(mutants: APIClient, times: int, kind: str) -> None:
    dice, figures = random.Random(kind), Figures()
    members = {f"car/{'long-' * (number * 9)}é{number}.png": png(number) for number in range(4)}
    whole = zip_of(members) if kind == "zip" else tar_of(members, "w:gz" if kind == "tar.gz" else "w")
    for _ in range(times):
        mutant = dice.choice(MANGLERS)(dice, whole)
        if kind == "tar.gz" and dice.random() < 0.5:  # else nothing gets past the checksum of the whole
            mutant = gzip.compress(dice.choice(MANGLERS)(dice, gzip.decompress(whole)))
        form = {"archive": sent(f"a.{kind}", mutant)}
        figures.note(partial(mutants.post, "/datasets/classification", form))
    figures.check(f"archives ({kind})")


def test_mutants_of_images(mutants: APIClient, version: ModelVersion, times: int) -> None:
    dice, figures = random.Random(2), Figures()
    mutants.post("/models/shades/versions/1/predict", {"file": sent("a", png(1))})  # its program takes seconds to start
    for number in range(times):
        kind = dice.choice(KINDS)
        mutant = dice.choice(MANGLERS)(dice, encoded(kind, number))
        form: dict[str, Any] = {"files": sent(f"car/{number}.{kind.lower()}", mutant), "convert": dice.random() < 0.5}
        path = "/datasets/classification"
        if number % 3 == 0:
            path, form = "/models/shades/versions/1/predict", {"file": sent("a", mutant)}
        figures.note(partial(mutants.post, path, form))
    figures.check("images")


def encoded(kind: str, seed: int) -> bytes:
    out = io.BytesIO()
    size = 8 + seed % 60, 8 + seed % 41
    Image.frombytes("RGB", size, random.Random(seed).randbytes(3 * size[0] * size[1])).save(out, kind)
    return out.getvalue()


DRAWN = {"class": "car", "box": [1, 2, 3, 4], "attributes": {"t": 1}}
GATE = {"metric": "accuracy", "min": 1}
SAMPLE = {"key": "a/1.png", "md5": "0" * 32, "split": "train", "label": {"class": "car"}, "meta": {"drive": {"n": 1}}}
DOCUMENTS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("/datasets", {"name": "new", "task": "classification", "classes": ["a"],
                   "split_rule": {"fractions": {"test": 0.2}}}),
    ("/datasets/classification", {"samples": [SAMPLE], "labels": {"a": {"class": "car"}}, "message": "m", "parent": 1}),
    ("/datasets/detection", {"labels": {"a": {"boxes": [DRAWN]}}}),
    ("/datasets/classification/slices", {"name": "night", "filter": {"class": "car", "meta": {"t": {">": 3}}}}),
    ("/datasets/classification/have", {"digests": ["0" * 32]}),
    ("/labeling/queues", {"name": "q", "dataset": "classification", "samples": ["a"], "review_share": 0.1}),
    ("/models", {"name": "m", "task": "classification", "classes": ["a", "b"], "gates": [GATE]}),
    ("/mining/jobs", {"dataset": "classification", "model": "shades@1", "strategy": {"name": "margin"}, "count": 3,
                      "compose": {"quotas": [{"class": "car", "min": 1}]}}),
    ("/pipelines", {"name": "p", "dataset": "classification", "count": 3, "budget": {"labels": 3},
                    "schedule": "0 2 * * *"}),
    ("/session", {"token": "x"}),
)  # fmt: skip
STRANGE = (
    "null", "true", "-1", "0.5", "1e999", "9" * 400, '""', '"\\u0000"', '"\\ud800"', f'"{"x" * 70_000}"', "[]", "{}",
    "[" * 100 + "]" * 100, "[" * 5000 + "]" * 5000, '{"a": {"b": []}}', "NaN", '{"a": 1, "a": 2}',
)  # fmt: skip


def test_mutants_of_json(mutants: APIClient, version: ModelVersion, times: int) -> None:
    dice, figures = random.Random(4), Figures()
    for _ in range(times):
        path, document = dice.choice(DOCUMENTS)
        mutant = dice.choice([*MANGLERS, strange, strange, strange])(dice, json.dumps(document).encode())
        figures.note(partial(mutants.post, path, mutant, content_type="application/json"))
    figures.check("JSON")


def strange(dice: random.Random, text: bytes) -> bytes:
    """The document with another value somewhere, or a key less."""
    found = dice.choice([*re.finditer(rb'(?<=: )("[^"]*"|[\d.]+|\[[^\[\]]*\]|\{[^{}]*\})', text)])
    return text[: found.start()] + dice.choice(STRANGE).encode() + text[found.end() :]


def test_mutants_of_annotation_files(mutants: APIClient, times: int) -> None:
    dice, figures = random.Random(3), Figures()
    layouts = [layout for layout in LAYOUTS.values() if layout.documents]
    for _ in range(times):
        layout = dice.choice(layouts)
        name, text = dice.choice(sorted(layout.documents.items()))
        mutant = dice.choice([*MANGLERS, retype, retype])(dice, text.encode())
        form = {"annotations": SimpleUploadedFile(name, mutant), "files": sent("car/1.png", png(1))}
        figures.note(partial(mutants.post, f"/datasets/{layout.task}", form))
    figures.check("annotation files")


def test_mutants_of_whole_uploads(mutants: APIClient, times: int) -> None:
    """Archives of images and annotations; those that are large are read by a job."""
    dice, figures = random.Random(4), Figures()
    for _ in range(times):
        layout = dice.choice(list(LAYOUTS.values()))
        form = upload(dice, layout)
        answer = figures.note(partial(mutants.post, f"/datasets/{layout.task}", form))
        if answer.status_code == 202:
            work_on(answer.json()["job"]["id"])
    figures.check("uploads")


def test_mutants_of_models(mutants: APIClient, version: ModelVersion, times: int) -> None:
    dice, figures = random.Random(5), Figures()
    wholes = [shipped(), shipped(side=16), hungry(elements=1 << 10)]
    for number in range(times):
        mutant = dice.choice(MANGLERS)(dice, dice.choice(wholes))
        blob = keep_bytes(mutant or b"-", media_type="application/octet-stream")
        Artifact.objects.create(version=version, path=f"{number}.onnx", blob=blob)
        form = {"file": sent("a.png", png(1)), "artifact": f"{number}.onnx", "activations": number % 4 == 0}
        figures.note(partial(mutants.post, "/models/shades/versions/1/predict", form))
        figures.note(partial(mutants.get, f"/models/shades/versions/1/layers?artifact={number}.onnx"))
    figures.check("models")
