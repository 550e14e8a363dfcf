"""A crowd before the production profile: what is said of it, and a small one for real."""

import os
import re
import subprocess
import sys

import pytest
from bench.crowd.report import Saved, show
from bench.crowd.stock import Stock
from bench.crowd.tally import ANSWER, LABELLING, Tally
from tests import settings as profile

from embedded.layout import project_root

PROMISES = {
    "all": "p95 of all calls under 250 ms",
    "labelling": "p95 of labelling calls under 250 ms",
    "errors": "no error",
    "once": "each answered task counted exactly once",
    "mining": "mining all the while",
}
ONCE = Saved(confirmed=3, rows=3, lost=0, doubled=0)


def verdicts(said: str) -> dict[str, str]:
    found = {name: re.search(rf"^  {words} +(yes|NO) ", said, re.MULTILINE) for name, words in PROMISES.items()}
    return {name: match[1] for name, match in found.items() if match is not None}


def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("MOTHERLODE_", "DJANGO_"))}
    paths = os.pathsep.join(filter(None, sys.path))
    command = [sys.executable, "-m", "bench.crowd", "--quick", *arguments]
    return subprocess.run(
        command, cwd=project_root(), env=kept | {"PYTHONPATH": paths}, capture_output=True, text=True, timeout=280
    )


@pytest.fixture
def tally() -> Tally:
    """A run in which all went well."""
    made = Tally(mined=2)
    for kind in (*LABELLING, "list jobs"):
        made.calls[kind] += [0.1] * 100
    return made


def test_all_promises_are_kept_when_all_went_well(tally: Tally, capsys: pytest.CaptureFixture[str]) -> None:
    assert show(tally, ONCE, 10.0, {"web": 5.0})
    assert verdicts(capsys.readouterr().out) == dict.fromkeys(PROMISES, "yes")


def test_slow_answers_break_both_promises_of_time(tally: Tally, capsys: pytest.CaptureFixture[str]) -> None:
    tally.calls[ANSWER] += [0.3] * 100
    assert not show(tally, ONCE, 10.0, {})
    broken = {name for name, verdict in verdicts(capsys.readouterr().out).items() if verdict == "NO"}
    assert broken == {"all", "labelling"}


def test_one_error_is_told_with_its_words(tally: Tally, capsys: pytest.CaptureFixture[str]) -> None:
    tally.failed(ANSWER, '503 {"detail": "busy"}')
    assert not show(tally, ONCE, 10.0, {})
    said = capsys.readouterr().out
    assert verdicts(said)["errors"] == "NO"
    assert '1 x answer: 503 {"detail": "busy"}' in said


@pytest.mark.parametrize("saved", [Saved(3, 2, 1, 0), Saved(3, 4, 0, 1), Saved(3, 4, 0, 0), Saved(0, 0, 0, 0)])
def test_an_answer_that_is_lost_or_doubled_or_nobodys_is_no(
    tally: Tally, saved: Saved, capsys: pytest.CaptureFixture[str]
) -> None:
    assert not show(tally, saved, 10.0, {})
    assert verdicts(capsys.readouterr().out)["once"] == "NO"


def test_every_annotator_gets_to_every_queue_and_a_few_are_worked_on_at_a_time() -> None:
    stock = Stock([], {}, [f"queue-{n}" for n in range(12)], [], [])
    for annotator in range(7):
        queues = stock.queues_of(annotator)
        assert sorted(queues) == sorted(stock.queues)
        assert set(queues[:5]) == set(stock.queues[:5])
    assert {stock.queues_of(annotator)[0] for annotator in range(5)} == set(stock.queues[:5])


def test_without_a_database_server_it_says_so() -> None:
    done = run("--server", "postgres://nobody@127.0.0.1:1")
    assert done.returncode
    assert "No PostgreSQL answers" in done.stderr


@pytest.mark.production
@pytest.mark.parametrize("broker", ["amqp://guest:guest@127.0.0.1:1//", "amqp://nobody:wrong@127.0.0.1:5672//"])
def test_without_a_broker_it_says_so(broker: str) -> None:
    done = run("--server", profile.SERVER, "--broker", broker)
    assert done.returncode
    assert "No RabbitMQ answers" in done.stderr


@pytest.mark.production
@pytest.mark.clock
def test_a_small_crowd_loses_no_answer_and_meets_no_error() -> None:
    done = run("--server", profile.SERVER, "--broker", profile.BROKER)
    found = verdicts(done.stdout)
    assert found.keys() == PROMISES.keys(), done.stdout + done.stderr
    assert {name: found[name] for name in ("errors", "once", "mining")} == dict.fromkeys(
        ("errors", "once", "mining"), "yes"
    ), done.stdout
    assert done.returncode == ("NO" in found.values())
    assert "no figures to quote" in done.stdout
