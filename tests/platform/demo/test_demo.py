"""The demo's own parts: what it loads, what it concludes."""

import io
import json
import tarfile
from pathlib import Path

import cv2
import numpy as np
import pytest
from rich.console import Console
from tests.platform.motherlode.canned import Answer, CannedServer

from demo.digits import digit_examples, first_labelled
from demo.examples import Examples, Part, write_truth
from demo.loading import ensure_dataset, ensure_fork, missing_parts, push_part
from demo.mnist import Digits, sklearn_digits
from demo.plan import Plan
from demo.plot import save_curve
from demo.report import Loading, Outcome, print_curves, print_times, saving
from motherlode import Motherlode, MotherlodeError
from motherlode.annotator import read_truth
from motherlode.bars import JobBar, progress_bars
from motherlode.documents import CurvePoint, Round


@pytest.fixture(scope="module")
def digits() -> Digits:
    return sklearn_digits()


@pytest.fixture
def examples(digits: Digits) -> Examples:
    return digit_examples(digits, Plan())


def point(labels: int, accuracy: float) -> CurvePoint:
    return {"round": labels // 100 - 1, "labels": labels, "metric": "accuracy", "value": accuracy,
            "accuracy": accuracy, "low": accuracy - 0.01, "high": accuracy + 0.01, "model_version": 1}  # fmt: skip


def test_the_first_labels_are_as_many_of_each_class_and_the_seed_decides(digits: Digits) -> None:
    chosen = first_labelled(digits.train_labels, count=100, seed=1)
    assert np.bincount(digits.train_labels[chosen]).tolist() == [10] * 10
    assert np.array_equal(chosen, first_labelled(digits.train_labels, count=100, seed=1))
    assert not np.array_equal(chosen, first_labelled(digits.train_labels, count=100, seed=2))


def test_the_parts_hold_every_digit_once_and_only_pool_labels_stay_secret(digits: Digits, examples: Examples) -> None:
    test, train, pool = examples.parts
    keys = [*test.keys, *train.keys, *pool.keys]
    assert len(keys) == len(set(keys)) == len(digits.train_labels) + len(digits.test_labels)
    assert (len(train.keys), train.split, pool.split) == (100, "train", "pool")
    assert pool.annotations() is None
    rows = [json.loads(line) for line in (train.annotations() or b"").splitlines()]
    assert all(row["split"] == "train" and set(row["label"]) == {"class"} for row in rows)


def test_an_archive_holds_the_digits_pixel_by_pixel(digits: Digits, examples: Examples) -> None:
    part = examples.parts[0]
    with tarfile.open(fileobj=io.BytesIO(part.archive)) as archive:
        for member, image in zip(archive, digits.test_images, strict=True):
            stream = archive.extractfile(member)
            assert stream is not None
            decoded = cv2.imdecode(np.frombuffer(stream.read(), np.uint8), cv2.IMREAD_UNCHANGED)
            assert decoded is not None
            assert np.array_equal(decoded, image)


def test_the_truth_agrees_with_the_labels_that_are_sent(digits: Digits, examples: Examples, tmp_path: Path) -> None:
    write_truth(examples.truth, tmp_path / "demo" / "truth.jsonl")
    truth = read_truth(tmp_path / "demo" / "truth.jsonl")
    rows = [json.loads(line) for line in (examples.parts[1].annotations() or b"").splitlines()]
    assert all(truth[row["key"]] == row["label"] for row in rows)
    assert len(truth) == len(digits.train_labels)


def small_part() -> Part:
    return Part("pool", "Unlabelled pool: 1 digits", ["train-00000.png"], [b"a file"], None)


def test_an_upload_is_recognised_when_the_demo_is_run_again(server: CannedServer, client: Motherlode) -> None:
    server.script["POST /datasets/digits"] = [Answer(201, {"version": 1, "rejected": []})]
    versions = [{"message": small_part().message}]
    server.script["GET /datasets/digits/versions"] = [Answer(200, {"results": versions, "next": None})]
    with progress_bars(Console(quiet=True)) as bars:
        for _ in range(2):
            push_part(client, Plan().mined, small_part(), JobBar(bars))
    first, second = (asked.headers["Idempotency-Key"] for asked in server.asked)
    assert first == second
    assert missing_parts(client, Plan().mined, [small_part()]) == []


def test_a_rejected_digit_stops_the_demo(server: CannedServer, client: Motherlode) -> None:
    rejected = [{"key": "train-00000.png", "code": "image_unreadable", "detail": "not an image"}]
    server.script["POST /datasets/digits"] = [Answer(201, {"version": None, "rejected": rejected})]
    with progress_bars(Console(quiet=True)) as bars, pytest.raises(MotherlodeError, match=r"train-00000\.png"):
        push_part(client, Plan().mined, small_part(), JobBar(bars))


def test_images_of_two_sources_never_mix(server: CannedServer, client: Motherlode) -> None:
    there = {"name": "digits", "description": "Handwritten digits for the mined arm: MNIST"}
    server.script["GET /datasets"] = [Answer(200, {"results": [there], "next": None})]
    ensure_dataset(client, Plan().mined, Plan(), "MNIST")
    with pytest.raises(MotherlodeError, match="make clean"):
        ensure_dataset(client, Plan().mined, Plan(), "scikit-learn digits")


def test_the_random_arm_begins_as_what_was_loaded_whatever_was_mined_since(
    server: CannedServer, client: Motherlode
) -> None:
    versions = [{"version": 3, "message": "Labels of round 1"}, {"version": 2, "message": small_part().message}]
    server.script["GET /datasets"] = [Answer(200, {"results": [], "next": None})]
    server.script["GET /datasets/digits/versions"] = [Answer(200, {"results": versions, "next": None})]
    server.script["POST /datasets/digits/forks"] = [Answer(201, {"name": "digits-random"})]
    assert ensure_fork(client, Plan(), "MNIST", [small_part()])
    (asked,) = (one for one in server.asked if one.method == "POST")
    assert json.loads(asked.body) == {
        "name": "digits-random", "version": 2, "description": "Handwritten digits for the random arm: MNIST",
    }  # fmt: skip
    there = {"name": "digits-random", "description": "Handwritten digits for the random arm: MNIST"}
    server.script["GET /datasets"] = [Answer(200, {"results": [there], "next": None})]
    assert not ensure_fork(client, Plan(), "MNIST", [small_part()])
    with pytest.raises(MotherlodeError, match="make clean"):
        ensure_fork(client, Plan(), "scikit-learn digits", [small_part()])


RANDOM = [point(100, 0.80), point(200, 0.86), point(300, 0.90)]


def test_labels_saved_are_those_that_mining_was_measured_not_to_need() -> None:
    found = saving([point(100, 0.80), point(200, 0.91), point(300, 0.95)], RANDOM)
    assert (found.target, found.labels, found.needed) == (0.90, 300, 200)
    assert "100 labels saved (33%)" in found.words()


def test_a_run_in_which_mining_saved_nothing_says_so() -> None:
    assert "did not reach" in saving([point(100, 0.80), point(300, 0.89)], RANDOM).words()
    assert "none saved" in saving([point(100, 0.80), point(300, 0.90)], RANDOM).words()


def test_the_report_prints_both_tables_and_saves_a_picture(tmp_path: Path) -> None:
    round_: Round = {
        "number": 1, "state": "done", "labels": 200, "dataset_version": 4, "model_version": 2, "queue": "mined-1",
        "queue_counts": {"total": 100, "todo": 0, "leased": 0, "done": 100, "skipped": 0}, "auto_commit": None,
        "job": None,
        "metric": "accuracy", "value": 0.91, "accuracy": 0.91, "promoted": True, "control": None, "error": "",
        "images_per_second": {"score": 5000.0, "train": 900.0},
        "timings": {"scoring": 12.0, "labelling": 4.0, "retraining": 30.0, "program_train": 21.0}, "failed_in": "",
        "trigger": {"what": "count", "detail": "", "at": ""}, "choice": None, "waiting": None, "stopped": None,
        "step_started": "", "run": None,
        "mining_job": None, "queue_id": None, "promotion": None, "lift": None, "created": "", "finished": None,
    }  # fmt: skip
    mined = Outcome("mined", [point(100, 0.80), point(200, 0.91), point(300, 0.95)], [round_], Loading(70_000, 35.0))
    random = Outcome("random", RANDOM, [round_], Loading(0, 0.0))
    console = Console(record=True, width=100, file=io.StringIO())
    print_curves(console, mined, random)
    print_times(console, [mined, random])
    text = console.export_text()
    assert "+5.00 points" in text
    assert "2,000" in text  # images per second of loading
    assert "there already" in text
    assert "of which train" in text
    save_curve(tmp_path / "curve.png", mined=mined, random=random)
    picture = cv2.imread(str(tmp_path / "curve.png"))
    assert picture is not None
    assert picture.shape[1] > 1000
