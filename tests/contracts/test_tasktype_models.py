"""Every task type that can be trained, once around: targets, training, the file that ships, figures, scores, picks."""

import json
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from PIL import Image

from acquisition import Pool, PoolError, Strategy, compose, strategy
from acquisition import names as strategies
from acquisition.objects import surest
from blobs.decoding import load
from export import ExportConfig, ModelError, Session, adopt_onnx, export
from export.adopt_spec import AdoptSpec
from scoring import Dropout, Scores, ScoreTable, packed, score
from scoring.crops import describe
from scoring.members import with_members
from tasktypes import names, task_type
from tasktypes.model_parts import LabelUnfit
from tasktypes.predictions import common
from training import TrainingConfig, train
from worker_programs.config import ConfigError
from worker_programs.manifest import Sample, write_manifest
from worker_programs.readers import Folder

CLASSES = ["dark", "grey", "light"]
TRAINABLE = [name for name in names() if "training" not in task_type(name).lacks]
LEARNED = pytest.mark.parametrize("name", TRAINABLE)
OF_CLASSES = pytest.mark.parametrize("name", [one for one in TRAINABLE if task_type(one).outputs.form == "classes"])
"""Those whose answers are numbers for the classes."""
SIZE, BOX = (96, 64), (24, 16, 56, 48)
"""Of an image with a box, and the box in the first of them; others have it elsewhere."""


@dataclass(frozen=True)
class Way:
    """How a form of answers is learnt here, and how well."""

    architecture: str
    params: dict[str, int]
    recipe: dict[str, int]
    least: float


WAYS = {
    "classes": Way("small_cnn", {"size": 16, "width": 8, "embedding": 16}, {"steps": 45, "shift": 0}, 0.9),
    "boxes": Way("centre_lite0", {"size": 128, "width": 32, "depth": 1}, {"steps": 60, "batch_size": 12}, 0.5),
}


def way(name: str) -> Way:
    return WAYS[task_type(name).outputs.form]


def place(number: int) -> tuple[int, int, int, int]:
    """Of the box in an image, left, top, right and bottom."""
    across, down = 8 * (number % 5) - 16, 4 * (number % 7) - 12
    return BOX[0] + across, BOX[1] + down, BOX[2] + across, BOX[3] + down


def label_of(name: str, number: int) -> dict[str, Any]:
    """Of an image whose brightness, or that of a box in it, tells it: one class, or of several also whether it is light
    or dark at all; of boxes every seventh image has none."""
    index = number % 3
    if task_type(name).outputs.form == "boxes":
        return {"boxes": [{"class": CLASSES[index], "box": list(place(number))}] if number % 7 else []}
    if task_type(name).labels.form == "class":
        return {"class": CLASSES[index]}
    return {"classes": [[], CLASSES[1:2], CLASSES[1:]][index]}


def pixels_of(name: str, number: int, rng: np.random.Generator) -> NDArray[np.uint8]:
    """What the label says."""
    if task_type(name).outputs.form != "boxes":
        return (rng.random((16, 16)) * 60 + 90 * (number % 3)).astype(np.uint8)
    shown = (rng.random((SIZE[1], SIZE[0])) * 255).astype(np.uint8)
    if number % 7:
        left, top, right, bottom = place(number)
        shown[top:bottom, left:right] = (10, 128, 245)[number % 3]
    return shown


@dataclass(frozen=True)
class Turned:
    """What one trip brought about."""

    name: str
    blobs: Folder
    samples: list[Sample]
    metrics: dict[str, Any]
    made: dict[str, Any]
    out: Path

    @cached_property
    def session(self) -> Session:
        return Session((self.out / "model.onnx").read_bytes())

    @cached_property
    def scores(self) -> Scores:
        """What the file says of the samples it is evaluated on."""
        return score(self.session, self.samples, self.blobs)


def manifest_of(name: str, folder: Path, blobs: Folder, count: int, seed: int) -> tuple[Path, list[Sample]]:
    rng = np.random.default_rng(seed)

    shown = [pixels_of(name, number, rng) for number in range(count)]
    samples = [
        Sample.of(
            f"{seed}-{number}.png", blobs.put(cv2.imencode(".png", one)[1].tobytes()), label=label_of(name, number),
            size=(one.shape[1], one.shape[0]),
        )
        for number, one in enumerate(shown)
    ]  # fmt: skip
    return write_manifest(folder / f"{seed}.jsonl", samples), samples


@pytest.fixture(scope="module")
def turned(tmp_path_factory):
    """Trains, exports and evaluates a task type, once."""
    known: dict[str, Turned] = {}

    def make(name: str) -> Turned:
        if name not in known:
            folder = tmp_path_factory.mktemp(name)
            blobs = Folder(folder / "blobs")
            learn, _ = manifest_of(name, folder, blobs, 60, 1)
            held, _ = manifest_of(name, folder, blobs, 30, 2)
            test, samples = manifest_of(name, folder, blobs, 45, 3)
            told = TrainingConfig(
                out_dir=folder / "run", train=learn, validation=held, classes=CLASSES, task=name, threads=1,
                architecture=way(name).architecture, params=way(name).params, recipe=way(name).recipe,
                blobs=str(folder / "blobs"),
            )  # fmt: skip
            metrics = train(told)
            (folder / "slices.json").write_text(json.dumps({"first": [one.key for one in samples[:20]]}))
            config = ExportConfig(
                out_dir=folder / "out", checkpoint=folder / "run", test=test, validation=held, samples=learn,
                slices=folder / "slices.json", precisions=["fp16"], tensorrt="never", blobs=str(folder / "blobs"),
                threads=1,
            )  # fmt: skip
            known[name] = Turned(name, blobs, samples, metrics, export(config), folder / "out")
        return known[name]

    return make


@LEARNED
def test_targets_are_rows_of_numbers_and_a_label_that_is_none_is_named(name):
    metrics = task_type(name).metrics
    targets = metrics.targets([label_of(name, number) for number in range(9)], CLASSES, [SIZE] * 9)
    assert len(targets) == 9
    strata = metrics.strata(targets)
    assert set(np.concatenate(strata).tolist()) == set(range(9))
    assert all(len(rows) for rows in strata)
    for wrong in (None, {}, {"class": "purple"}, {"classes": ["purple"]}, {"boxes": [{"class": "purple", "box": BOX}]}):
        with pytest.raises(LabelUnfit) as fault:
            metrics.targets([label_of(name, 1), wrong], CLASSES, [SIZE] * 2)
        assert fault.value.row == 1


@LEARNED
def test_it_learns_what_can_be_learnt_and_says_so_by_its_headline(name, turned):
    metrics, found = task_type(name).metrics, turned(name)
    assert found.metrics["validation"][metrics.headline] > way(name).least
    assert found.made["evaluation"][metrics.headline] > way(name).least
    assert found.made["evaluation"]["samples"] == 45
    low, high = metrics.bounds(found.made["evaluation"])
    assert low <= found.made["evaluation"][metrics.headline] <= high


@LEARNED
def test_the_file_is_ready_equal_to_torch_and_says_what_it_answers(name, turned):
    found = turned(name)
    report = found.made["report"]
    assert report["ready"], report
    assert report["parity"]["passed"]
    assert report["variants"]["fp16"]["agreement"]["passed"]
    assert found.session.facts.task == name
    card = (found.out / "modelcard.md").read_text()
    assert task_type(name).metrics.headline in card
    assert task_type(name).outputs.limit in card


def coloured(name: str, number: int, size: tuple[int, int]) -> Image.Image:
    """A picture of what the task type learnt, in slightly differing colours and at another size."""
    shown = Image.fromarray(pixels_of(name, number, np.random.default_rng(number))).resize(
        size, Image.Resampling.NEAREST
    )
    tints = [np.asarray(shown, float) * share for share in (1.0, 0.97, 0.9)]
    return Image.fromarray(np.stack(tints, -1).astype(np.uint8))


def same_objects(told: NDArray[np.float32], expected: NDArray[np.float32], least: float = 0.05) -> int:
    """Check that rows [x1, y1, x2, y2, score, class] are the same objects to 1e-3, in whatever order, and return how
    many are. Those below `least` may be cut off at the number of rows that a file gives."""
    for ours, theirs in ((told, expected), (expected, told)):
        free = np.ones(len(theirs), bool)
        for row in ours[ours[:, 4] >= least]:
            alike = (np.abs(theirs - row).max(1) <= 1e-3) & free
            assert alike.any(), (
                f"no row is {row}; the nearest by its box: {theirs[np.abs(theirs - row)[:, :4].sum(1).argmin()]}"
            )
            free[np.flatnonzero(alike)[0]] = False
    return int((expected[:, 4] >= least).sum())


@LEARNED
def test_the_cards_program_gives_the_platforms_own_answers(name, turned, tmp_path):
    found, outputs = turned(name), task_type(name).outputs
    card = (found.out / "modelcard.md").read_text()
    code = (
        card.partition("```python\n")[2]
        .partition("```")[0]
        .replace('"model.onnx"', repr(str(found.out / "model.onnx")))
    )
    program: dict[str, Any] = {"__name__": "program"}
    exec(compile(code, "answer.py", "exec"), program)  # noqa: S102 - our own program
    for number, size in enumerate(((96, 64), (200, 150), (31, 40))):
        path = tmp_path / f"{number}.png"
        coloured(name, number, size).save(path)
        expected = found.session.run(load(path.read_bytes(), found.session.facts.input_size)[None]).probabilities[0]
        told = program["answer"](path)
        if outputs.form == "classes":
            np.testing.assert_allclose(told, expected, atol=1e-3)
        else:
            assert same_objects(told, expected) > 0
    assert outputs.names[2] in code


@LEARNED
def test_every_figure_has_an_interval_whole_by_class_and_by_slice(name, turned):
    metrics, evaluation = task_type(name).metrics, turned(name).made["evaluation"]
    known = metrics.known(len(CLASSES))
    assert set(evaluation["intervals"]) == set(known) == set(evaluation["slices"]["first"]["intervals"])
    for part in evaluation["per_class"].values():
        assert set(metrics.of_class) <= part.keys()
        assert set(part["intervals"]) == set(metrics.of_class)
    assert {metrics.headline, metrics.right_share} <= set(known)
    assert {"temperature", "ece_before", "ece_after"} <= evaluation["calibration"].keys()
    assert {"label", "predicted", "confidence", "loss"} <= evaluation["worst"][0].keys()


@LEARNED
def test_predictions_are_read_back_and_compared_with_themselves(name, turned):
    metrics, found = task_type(name).metrics, turned(name)
    kept = metrics.predictions_type.read((found.out / "predictions.npz").read_bytes())
    assert len(kept) == 45
    assert kept.to_bytes() == (found.out / "predictions.npz").read_bytes()
    ours, theirs = common(kept, kept)
    assert len(ours) == 45
    for metric in metrics.known(len(CLASSES)):
        told = metrics.difference(metric, ours, theirs)
        assert told.value == told.base == pytest.approx(found.made["evaluation"][metric])
        assert told.interval == (None if told.value is None else (0, 0))


@OF_CLASSES
def test_scores_are_what_the_file_says_and_a_committee_agrees_in_the_mean(name, turned):
    found, outputs = turned(name), task_type(name).outputs
    scores = found.scores
    rows = scores.probabilities
    assert rows.shape[1] == len(CLASSES)
    assert np.allclose(outputs.tempered(rows, 1.0), rows, atol=1e-5)
    members = Session(with_members((found.out / "model.onnx").read_bytes(), Dropout(members=4, rate=0.1, seed=0)))
    told = score(members, found.samples, found.blobs).members
    assert told is not None
    assert np.abs(told.mean(1) - rows).mean() < 0.2
    assert ((told >= 0) & (told <= 1)).all()


def looked_at(found: Turned, pool: Pool, kind: Strategy, count: int) -> Pool:
    """With the objects of the shortlist, cut out and shown to the file."""
    assert pool.probabilities is not None
    rows, by_digest = (
        np.sort(kind.shortlist(pool, count)),
        sorted(found.samples, key=lambda one: bytes.fromhex(one.md5)),
    )
    regions, facts = surest(found.name, pool.probabilities[rows], 2)
    made = describe(found.session, [by_digest[row] for row in rows], regions, found.blobs)
    return replace(pool, objects=made.embedding.astype(np.float32), object_facts=facts, object_ids=rows)


@LEARNED
@pytest.mark.parametrize("chosen", strategies())
def test_a_strategy_picks_for_it_or_says_what_would(name, chosen, turned):
    found, kind = turned(name), strategy(chosen)
    mining = task_type(name).mining
    if not kind.fits(mining):
        with pytest.raises(ConfigError, match=rf"{name} (has not|have none): use one of .*margin"):
            kind.check_task(name)
        return
    kind.check_task(name)
    scores = found.scores
    others = mining.aligned(np.stack([scores.probabilities, scores.probabilities[:, ::-1]], axis=1))
    count = len(scores)
    assert (scores.cells is not None) == mining.places
    targets = task_type(name).metrics.targets([sample.label for sample in found.samples], CLASSES, [SIZE] * count)
    order = ScoreTable([scores]).rows(packed(sample.md5 for sample in found.samples))
    labels = targets if mining.places else np.zeros(count, np.intp)
    cells = np.zeros((count, 1), np.int32) if scores.cells is None else scores.cells
    pool = Pool(
        ids=np.arange(count), probabilities=scores.probabilities, embeddings=scores.embedding.astype(np.float32),
        members=others, labels=labels, groups=np.array(["a", "b", "c"] * 15)[:count],
        sources=np.array(["a"] * count), labelled=scores.embedding[:5].astype(np.float32),
        labelled_classes=np.array([0, 1, 2, 0, 1]), wanted=scores.embedding[:2].astype(np.float32), classes=CLASSES,
        cells=cells, evidence=mining.evidence(scores.probabilities[order], cells[order], targets), task=name,
    )  # fmt: skip
    if "objects" in kind.needs:
        pool = looked_at(found, pool, kind, 6)
    batch = compose(pool, chosen, count=6, seed=0)
    assert len({pick.id for pick in batch}) == 6
    assert all(pick.reason for pick in batch)


@OF_CLASSES
def test_what_is_no_probability_is_refused_by_a_pool(name):
    wrong = np.array([[0.5, 0.5, 0.0], [1.2, -0.1, -0.1]])
    with pytest.raises(PoolError, match="id 1 are not probabilities"):
        Pool(ids=np.arange(2), probabilities=wrong, task=name)


@LEARNED
def test_its_answer_is_a_label_of_its_own(name, turned):
    found, kind = turned(name), task_type(name)
    row = found.scores.probabilities[0].tolist()
    said = kind.outputs.answer(row, CLASSES, {}, SIZE)
    label = kind.labels.suggested(said)
    assert label is not None
    if kind.outputs.form == "boxes":
        assert all(0 <= one.pop("score") <= 1 for one in said["boxes"])
        label = said
    else:
        assert 0 <= said["probability"] <= 1
    assert kind.labels.check(label, classes=CLASSES, size=SIZE) == label


@OF_CLASSES
@pytest.mark.parametrize("probabilities", [False, True])
def test_a_foreign_file_answers_as_it_did(name, probabilities, turned):
    found = turned(name)
    spec = AdoptSpec(
        classes=CLASSES, task=name, logits="probabilities" if probabilities else "logits", embedding="embedding",
        scale="1", probabilities=probabilities,
    )  # fmt: skip
    taken = Session(adopt_onnx((found.out / "model.onnx").read_bytes(), spec))
    pixels = np.random.default_rng(0).integers(0, 256, (5, 16, 16, 1), dtype=np.uint8)
    ours, theirs = found.session.run(pixels).probabilities, taken.run(pixels).probabilities
    np.testing.assert_allclose(ours, theirs, atol=1e-4)
    assert taken.facts.task == name


@OF_CLASSES
@given(data=st.data())
def test_a_temperature_of_one_changes_nothing_and_the_same_answers_are_the_same(name, data):
    outputs = task_type(name).outputs
    drawn = st.lists(st.floats(-8, 8, width=32), min_size=3, max_size=3)
    logits = np.array(data.draw(st.lists(drawn, min_size=1, max_size=5)), np.float32)
    probabilities = outputs.probabilities(logits)
    np.testing.assert_allclose(outputs.tempered(probabilities, 1.0), probabilities, atol=1e-5)
    np.testing.assert_allclose(outputs.tempered(probabilities, 2.0), outputs.probabilities(logits / 2), atol=1e-3)
    assert outputs.same(logits, logits).all()
    assert (outputs.certainty(probabilities) >= -1e-6).all()


@OF_CLASSES
def test_logits_are_no_probabilities_and_are_refused_as_such(name, turned):
    spec = AdoptSpec(
        classes=CLASSES, task=name, logits="logits", embedding="embedding", scale="1", probabilities=True
    )  # fmt: skip
    with pytest.raises(ModelError, match="it holds no `probabilities`"):
        adopt_onnx((turned(name).out / "model.onnx").read_bytes(), spec)
