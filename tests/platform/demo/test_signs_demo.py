"""The demo of detection: the same loop as that of digits, by a plan of its own."""

import io
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import typer
from rich.console import Console
from tests.platform.demo.sign_sources import CLASSES
from tests.platform.motherlode.canned import Answer, CannedServer

from acquisition.registry import strategy
from demo.__main__ import known_task
from demo.arms import Arms
from demo.board import Board
from demo.examples import Examples
from demo.plan import PLANS, SIGNS, Plan
from demo.report import Loading, Outcome, other_point, print_curves
from demo.rounds import ensure_pipeline
from demo.show import FETCH
from demo.signs import SignsDataset, signs_dataset
from demo.signs.sources import Sources
from demo.traffic_signs import fetch_signs, sign_examples
from motherlode import Motherlode, MotherlodeError
from motherlode.bars import progress_bars
from motherlode.documents import CurvePoint
from tasktypes import task_type
from training.architectures import architecture
from training.config import merged_recipe

FEW = replace(SIGNS, labelled=8, classes=CLASSES)


@pytest.fixture(scope="module")
def signs(sources: Sources, tmp_path_factory: pytest.TempPathFactory) -> SignsDataset:
    return signs_dataset(tmp_path_factory.mktemp("signs") / "set", 60, 3, sources=sources)


@pytest.fixture
def examples(signs: SignsDataset) -> Examples:
    return sign_examples(signs, FEW)


def point(labels: int, value: float) -> CurvePoint:
    return {"round": labels // 60 - 1, "labels": labels, "metric": "map", "value": value, "accuracy": None,
            "low": None, "high": None, "model_version": labels // 60}  # fmt: skip


def test_the_parts_hold_every_image_once_and_only_pool_labels_stay_secret(
    signs: SignsDataset, examples: Examples
) -> None:
    keys = [key for part in examples.parts for key in part.keys]
    assert len(keys) == len(set(keys)) == signs.images
    assert {part.split: len(part.keys) for part in examples.parts} == {"test": 12, "val": 6, "train": 8, "pool": 34}
    assert [part.split for part in examples.parts if part.annotations() is None] == ["pool"]


def test_what_is_labelled_and_what_is_answered_is_the_truth_with_regions_to_ignore(
    signs: SignsDataset, examples: Examples
) -> None:
    truth = signs.labels("train")
    assert any(label.get("ignore") for label in truth.values())
    rows = [json.loads(line) for line in (examples.parts[2].annotations() or b"").splitlines()]
    assert all(row["label"] == truth[row["key"]] and row["split"] == "train" for row in rows)
    assert examples.truth == truth


def test_the_seed_decides_what_starts_with_a_label(signs: SignsDataset, examples: Examples) -> None:
    assert sign_examples(signs, FEW).parts[2].keys == examples.parts[2].keys
    assert sign_examples(signs, replace(FEW, seed=1)).parts[2].keys != examples.parts[2].keys


def test_a_set_that_cannot_be_made_ends_the_demo_in_words(tmp_path: Path) -> None:
    (tmp_path / "signs-240").mkdir()
    (tmp_path / "signs-240" / "mine.txt").touch()
    with pytest.raises(MotherlodeError, match="needs a folder of its own"):
        fetch_signs(SIGNS, Console(quiet=True), tmp_path, small=True)


@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)
def test_a_plan_is_one_that_the_platform_takes(plan: Plan) -> None:
    family = architecture(plan.architecture, {})
    family.check_task(plan.task)
    merged_recipe(family.recipe, dict(plan.config.get("recipe", {})), frozen=family.frozen, task=plan.task)  # type: ignore[call-overload]  # a document
    told: Any = plan.strategy if isinstance(plan.strategy, dict) else {"name": plan.strategy, "params": {}}
    strategy(told["name"], told["params"]).check_task(plan.task)
    assert {task_type(plan.task).metrics.headline, *plan.more_metrics} <= {*task_type(plan.task).metrics.whole}
    assert plan.task in FETCH


def test_no_name_of_one_demo_is_that_of_the_other() -> None:
    names = [name for plan in PLANS.values() for arm in (plan.mined, plan.random)
             for name in (arm.dataset, arm.model, arm.pipeline)]  # fmt: skip
    names = [f"{at % 3} {name}" for at, name in enumerate(names)]
    assert len(names) == len(set(names)) == 12


def test_the_pipeline_is_of_the_plans_task_architecture_and_strategy(server: CannedServer, client: Motherlode) -> None:
    nothing = Answer(200, {"results": [], "next": None})
    server.script |= {"GET /models": [nothing], "GET /pipelines": [nothing]}
    server.script |= {"POST /models": [Answer(201, {})], "POST /pipelines": [Answer(201, {"id": 7})]}
    assert ensure_pipeline(client, SIGNS.mined, SIGNS) == 7
    model, pipeline = (json.loads(asked.body) for asked in server.asked if asked.method == "POST")
    assert (model["task"], model["classes"]) == (SIGNS.task, list(SIGNS.classes))
    assert (pipeline["name"], pipeline["architecture"]) == ("signs-mined", SIGNS.architecture)
    assert (pipeline["strategy"], pipeline["config"]) == (SIGNS.strategy, SIGNS.config)


def test_a_task_without_a_demo_is_refused_by_name() -> None:
    assert known_task(SIGNS.task) == SIGNS.task
    with pytest.raises(typer.BadParameter, match="no demo of 'telepathy'"):
        known_task("telepathy")


def test_both_metrics_are_told_each_with_the_labels_it_saved() -> None:
    figures = {"map50": 0.5, "intervals": {"map50": [0.4, 0.6]}}
    mined, random = [point(60, 0.2), point(120, 0.31)], [point(60, 0.2), point(120, 0.3)]
    more = [other_point(one, "map50", figures) for one in mined]
    assert (more[0]["metric"], more[0]["value"], more[0]["low"], more[0]["high"]) == ("map50", 0.5, 0.4, 0.6)
    console = Console(record=True, width=100, file=io.StringIO())
    print_curves(console, Outcome("mined", mined, [], Loading(0, 0), [more]),
                 Outcome("random", random, [], Loading(0, 0), [more]))  # fmt: skip
    text = console.export_text()
    assert "mAP on the test split, by number of labels" in text
    assert "mAP50 on the test split, by number of labels" in text
    assert "+1.00 points" in text
    assert "random's final mAP (30.00% with 120 labels) with 120 labels" not in text
    assert "random's final mAP50 (50.00% with 120 labels) with 60 labels" in text


def test_the_second_metric_is_read_from_the_evaluations_of_the_same_models(
    server: CannedServer, client: Motherlode
) -> None:
    for arm, value in ((SIGNS.mined, 0.3), (SIGNS.random, 0.2)):
        curve = {"pipeline": arm.pipeline, "strategy": "", "points": [point(60, value)]}
        server.script[f"GET /pipelines/{arm.pipeline}/curve"] = [Answer(200, curve)]
        server.script[f"GET /pipelines/{arm.pipeline}/rounds"] = [Answer(200, {"results": [], "next": None})]
        version = {"version": 1, "metrics": {"map": value, "map50": 2 * value}}
        server.script[f"GET /models/{arm.model}/versions/1"] = [Answer(200, version)]
    with progress_bars(Console(quiet=True)) as bars:
        mined, random = Arms(client, SIGNS, bars).outcomes([Loading(0, 0.0)] * 2)
    assert [[one["value"] for one in curve] for curve in (mined.points, *mined.more)] == [[0.3], [0.6]]
    assert [[one["value"] for one in curve] for curve in (random.points, *random.more)] == [[0.2], [0.4]]
    assert [one["metric"] for one in mined.more[0]] == ["map50"]


def test_a_round_that_is_done_tells_its_own_metric() -> None:
    console = Console(record=True, width=120, file=io.StringIO())
    round_: Any = {"number": 1, "timings": {"scoring": 5.0}, "promoted": True, "value": 0.25, "metric": "map",
                   "labels": 120}  # fmt: skip
    with progress_bars(console) as bars:
        Board(bars, SIGNS.mined, rounds=3).watcher().finished(round_)
    assert "mined   round 1: 120 labels, mAP 25.00%, promoted" in console.export_text()
