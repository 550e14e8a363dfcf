"""Two processes that train one network are the training of one, also when one of them is killed."""

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest
import safetensors.torch
import torch

from training import TrainingConfig, train
from training.launching import Nodes
from worker_programs.config import parse

RECIPE = {"batch_size": 12, "precision": "float32", "learning_rate": 1e-3}
PARAMS = {"channels": 1, "size": 28, "width": 16, "heads": 1, "depth": 1}
"""A network without batch norm, whose statistics would be those of the halves."""


@pytest.fixture
def config(training_config: dict[str, Any]) -> dict[str, Any]:
    return training_config | {"architecture": "vit_tiny", "params": PARAMS, "threads": 1}


def weights(folder: Path) -> dict[str, torch.Tensor]:
    return safetensors.torch.load_file(folder / "checkpoint.safetensors")


def program(config: dict[str, Any], folder: Path, **recipe: Any) -> tuple[list[str], Path]:
    """The command of a training by two processes, and where it writes."""
    told = config | {"out_dir": str(folder), "recipe": RECIPE | {"processes": 2} | recipe}
    file = folder.with_suffix(".json")
    file.write_text(json.dumps(told))
    return [sys.executable, "-m", "training", str(file)], folder


@pytest.mark.parametrize(
    "how", [{}, pytest.param({"sharded": True, "patience": 9, "evaluate_every": 5}, marks=pytest.mark.clock)]
)
def test_two_halves_of_a_batch_are_the_step_of_the_whole_batch(
    config: dict[str, Any], tmp_path: Path, how: dict[str, Any]
) -> None:
    alone, same = tmp_path / "alone", {name: value for name, value in how.items() if name != "sharded"}
    metrics = train(parse(TrainingConfig, config | {"out_dir": str(alone), "recipe": RECIPE | {"steps": 20} | same}))
    command, folder = program(config, tmp_path / "both", steps=20, **how)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    events = [json.loads(line) for line in done.stdout.splitlines()]
    assert [event["event"] for event in events].count("result") == 1, "the first process alone speaks"
    both, one = weights(folder), weights(alone)
    assert both.keys() == one.keys()
    for name, value in one.items():
        torch.testing.assert_close(both[name], value, rtol=1e-3, atol=1e-4)
    train_figures = events[-1]["metrics"]["train"]
    assert train_figures["loss"] == pytest.approx(metrics["train"]["loss"], rel=1e-3)
    assert train_figures["train_accuracy"] == pytest.approx(metrics["train"]["train_accuracy"])
    assert events[-1]["metrics"]["validation"]["accuracy"] == metrics["validation"]["accuracy"]


@pytest.mark.clock  # torch is imported three times
def test_a_refusal_is_told_once_and_tried_once(config: dict[str, Any], tmp_path: Path) -> None:
    command, _ = program(config | {"validation": None}, tmp_path / "both", patience=2)
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    events = [json.loads(line) for line in done.stdout.splitlines()]
    (error,) = [event for event in events if event["event"] == "error"]
    assert [*error["errors"]] == ["recipe.patience"]


@pytest.mark.clock  # half a minute each: torch is imported six times
@pytest.mark.parametrize(
    ("victim", "exchange"),
    [
        (0, {"ema": 0.9}),
        (1, {"ema": 0.9}),
        (0, {"exchange": "powersgd", "exchange_start": 30}),
        (1, {"exchange": "post_local_sgd", "exchange_start": 30, "exchange_period": 7}),
        (0, {"sharded": True}),
    ],
)
def test_a_process_that_is_killed_costs_no_more_than_the_steps_since_the_newest_recovery_file(
    config: dict[str, Any], tmp_path: Path, victim: int, exchange: dict[str, Any]
) -> None:
    told: dict[str, Any] = {"steps": 300, "recover_every": 20, "mixup": 0.2} | exchange
    config |= {"params": PARAMS | {"dropout": 0.2}}
    command, whole = program(config, tmp_path / "whole", **told)
    subprocess.run(command, capture_output=True, check=True)
    command, folder = program(config, tmp_path / "killed", **told)
    events, wanted = list[dict[str, Any]](), [40, 120]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout
        for line in process.stdout:
            events.append(json.loads(line))
            if wanted and (events[-1].get("kind"), events[-1].get("step")) == ("recovery", wanted[0]):
                del wanted[0]
                below = psutil.Process(process.pid).children(recursive=True)
                found = [one for one in below if one.cmdline()[-3:-1] == ["-m", "training"] and "-u" in one.cmdline()]
                assert len(found) == 2
                found[victim].send_signal(signal.SIGKILL)
    assert process.returncode == 0
    assert not wanted
    assert any(str(event.get("message", "")).startswith("training goes on after step ") for event in events)
    assert (folder / "checkpoint.safetensors").read_bytes() == (whole / "checkpoint.safetensors").read_bytes()


@pytest.mark.clock  # as above
def test_nobody_is_left_when_the_program_is_killed(config: dict[str, Any], tmp_path: Path) -> None:
    command, _ = program(config, tmp_path / "killed", steps=100_000)
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout
        assert process.stdout.readline()
        found = psutil.Process(process.pid).children(recursive=True)
        assert len(found) >= 2
        process.kill()
    _, alive = psutil.wait_procs(found, timeout=30)
    assert alive == []


def beside(config: dict[str, Any], folder: Path, nodes: Nodes, **recipe: Any) -> "subprocess.Popen[str]":
    """A node of a training, started."""
    command, _ = program(config, folder, **recipe)
    told = {**os.environ, "GLOO_SOCKET_IFNAME": "lo", **nodes.environment()}
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=told)


def rendezvous() -> str:
    """A port for nodes to meet at."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return f"127.0.0.1:{free.getsockname()[1]}"


@pytest.mark.clock  # four processes import torch
def test_two_nodes_are_two_processes_and_the_one_that_leads_speaks_and_writes(
    config: dict[str, Any], tmp_path: Path
) -> None:
    command, alone = program(config, tmp_path / "alone", steps=20)
    subprocess.run(command, capture_output=True, check=True)
    meet = rendezvous()
    member = beside(config, tmp_path / "member", Nodes("2", 1, meet, leads=False), steps=20)
    leader = beside(config, tmp_path / "leader", Nodes("2", 1, meet, leads=True), steps=20)
    said, other = (one.communicate(timeout=200)[0] for one in (leader, member))
    assert (leader.returncode, member.returncode) == (0, 0)
    assert [json.loads(line)["event"] for line in said.splitlines()].count("result") == 1
    assert weights(tmp_path / "leader").keys() == weights(alone).keys()
    for name, value in weights(alone).items():
        torch.testing.assert_close(weights(tmp_path / "leader")[name], value)
    assert not list((tmp_path / "member").glob("*.safetensors"))
    assert "point" not in {json.loads(line)["event"] for line in other.splitlines()}


@pytest.mark.clock  # a node is missed only after half a minute
def test_a_node_that_dies_costs_a_restart_and_one_that_comes_back_joins(config: dict[str, Any], tmp_path: Path) -> None:
    command, alone = program(config, tmp_path / "alone", steps=4000)
    subprocess.run(command, capture_output=True, check=True)
    meet, recipe = rendezvous(), {"steps": 4000, "recover_every": 50}
    member = beside(config, tmp_path / "member", Nodes("1:2", 1, meet, leads=False), **recipe)
    leader = beside(config, tmp_path / "leader", Nodes("1:2", 1, meet, leads=True), **recipe)
    back, resumed = None, list[int]()
    assert leader.stdout
    for event in map(json.loads, leader.stdout):
        if member.poll() is None and event.get("kind") == "recovery" and event["step"] >= 200:
            for one in (psutil.Process(member.pid), *psutil.Process(member.pid).children(recursive=True)):
                one.kill()
            member.wait()
        elif str(event.get("message", "")).startswith("training goes on after step "):
            resumed.append(int(event["message"].split()[5].rstrip(",")))
            back = back or beside(config, tmp_path / "back", Nodes("1:2", 1, meet, leads=False), **recipe)
    assert back
    back.communicate(timeout=60)
    assert (leader.wait(), back.returncode) == (0, 0)
    first, second = resumed
    assert 200 <= first < second
    figures = [json.loads((folder / "metrics.json").read_text())["train"] for folder in (tmp_path / "leader", alone)]
    assert figures[0]["loss"] == pytest.approx(figures[1]["loss"], rel=1e-2)
