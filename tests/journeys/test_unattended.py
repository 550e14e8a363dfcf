"""A schedule of one minute runs three rounds with nobody at the platform but an annotator, and a budget ends it."""

import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import closing
from itertools import pairwise

import pytest
from tests.journeys import digits, site

from motherlode.annotator import annotate
from motherlode.client import Motherlode
from motherlode.documents import LabelValue

COUNT, ROUNDS = 20, 3
# Four steps: such a model errs on random picks too, so that the lift has a value.
TERMS = {
    "name": "nightly", "dataset": "digits", "model": "digits-cnn", "architecture": "small_cnn", "strategy": "margin",
    "count": COUNT, "control": 0.4, "config": {"recipe": {"steps": 4}}, "warm_start": True,
    "gates": [{"check": "parity"}], "schedule": "* * * * *",
    "budget": {"labels": ROUNDS * COUNT, "cost_per_label": 0.05},
}  # fmt: skip


@pytest.fixture
def platform(tmp_path) -> Iterator[site.Site]:
    started = site.start(tmp_path / "var")
    yield started
    site.command(started.var, "down")


class Annotator(threading.Thread):
    """Looks for a queue that waits for labels, and answers it; leaves when told."""

    def __init__(self, platform: site.Site, truth: Mapping[str, LabelValue]) -> None:
        super().__init__(daemon=True)
        self.platform, self.truth, self.leave = platform, truth, threading.Event()

    def run(self) -> None:
        with closing(self.platform.client()) as client:
            while not self.leave.wait(0.5):
                for round_ in client.pipelines.rounds("nightly"):
                    if round_["state"] == "labelling" and round_["queue"] is not None:
                        annotate(client, round_["queue"], truth=self.truth)


def wait_until_stopped(client: Motherlode, *, seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while client.pipelines.get("nightly")["state"] != "stopped":
        rounds = client.pipelines.rounds("nightly")
        assert all(round_["state"] not in {"failed", "cancelled"} for round_ in rounds), rounds[-1]["error"]
        assert time.monotonic() < deadline, [round_["state"] for round_ in rounds]
        time.sleep(0.5)


@pytest.mark.clock
@pytest.mark.timeout(1500)
def test_three_rounds_run_unattended_and_each_reports_the_lift_of_its_control_arm(platform):
    client = platform.client()
    data = digits.load(client, "digits")
    made = client.pipelines._transport.post("/pipelines", TERMS).json()
    assert made["schedule_words"] == "Every minute UTC"
    annotator = Annotator(platform, {key: {"class": name} for key, name in data.truth.items()})
    annotator.start()
    wait_until_stopped(client, seconds=1200)
    annotator.leave.set()
    annotator.join(timeout=30)

    rounds = client.pipelines.rounds("nightly")
    assert [round_["state"] for round_ in rounds] == ["done"] * ROUNDS
    assert [round_["labels"] for round_ in rounds] == [40 + COUNT * number for number in (1, 2, 3)]
    for round_ in rounds:
        assert round_["trigger"]["what"] == "schedule"
        arms = round_["control"]
        assert (arms["control"]["n"], arms["mined"]["n"]) == (8, 12)
        missed = arms["control"]["wrong"] / 8
        assert arms["lift"] == (pytest.approx(arms["mined"]["wrong"] / 12 / missed) if missed else None)
    for before, after in pairwise(rounds):
        assert before["finished"] <= after["created"], "two rounds never overlap"
        assert after["run"] != before["run"]
    assert any(round_["control"]["lift"] is not None for round_ in rounds), (
        "so small a model errs on random samples too"
    )

    pipeline = client.pipelines.get("nightly")
    assert pipeline["stopped"]["rule"] == "budget"
    assert pipeline["spent"]["labels"] == ROUNDS * COUNT
    assert pipeline["spent"]["money"] == pytest.approx(ROUNDS * COUNT * 0.05)
    runs = [client.runs.get(round_["run"]) for round_ in rounds]
    assert all(run["parent"] is not None for run in runs), "each begins with the weights of the one before"
    assert platform.log("beat", lines=100_000).count("(rounds.start_due)") >= ROUNDS, "celery's beat woke it"
