"""What starts nodes for one run: a JobSet as the API servers would take it, a script as Slurm would."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import jsonschema_rs
import kubernetes_validate  # type: ignore[import-untyped]
import pytest
import yaml
from tests.deploy.kustomized import KUBERNETES, objects

from training.launchers import LAUNCHERS, LaunchSpec, launchers
from worker_programs.config import ConfigError, parse

SCHEMA = Path(__file__).parent / "schemas" / "JobSet.json"
"""Of JobSet 0.12 (v1alpha2), under the Apache license 2.0: its CRD without words, closed; templates of Jobs are held
against Kubernetes' own schema."""
OPTIONS = frozenset({
    "job-name", "nodes", "ntasks-per-node", "cpus-per-task", "mem", "time", "requeue", "signal", "no-kill",
    "gpus-per-node", "partition",
})  # fmt: skip
"""Of sbatch, as its manual (slurm.schedmd.com/sbatch.html) names them."""
SPECS = {
    "one node": LaunchSpec(run=1),
    "a node with GPUs": LaunchSpec(run=2, processes=8, gpus=8, cores=64, memory=256 << 30, queue="gpus"),
    "two to four": LaunchSpec(
        run=3, least_nodes=2, most_nodes=4, processes=2, gpus=2, environment={"NCCL_DEBUG": "WARN"}
    ),
}


def jobset(spec: LaunchSpec) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(launchers()["kubernetes"](spec))
    return found


def pods(made: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {job["name"]: job["template"]["spec"]["template"]["spec"] for job in made["spec"]["replicatedJobs"]}


def test_every_launcher_is_named() -> None:
    assert tuple(launchers()) == LAUNCHERS


@pytest.mark.parametrize("name", SPECS)
def test_a_jobset_and_its_jobs_are_what_their_apis_take(name: str) -> None:
    made, check = jobset(SPECS[name]), jsonschema_rs.validator_for(json.loads(SCHEMA.read_text()))
    assert not [(fault.instance_path, fault.message) for fault in check.iter_errors(made)]
    assert not check.is_valid(made | {"spec": made["spec"] | {"maxRestarts": 3}}), "the check finds what is wrong"
    for job in made["spec"]["replicatedJobs"]:
        whole = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": job["name"]}, **job["template"]}
        kubernetes_validate.validate(whole, "1.33", strict=True)


def test_members_find_the_leader_by_its_name_in_the_jobset() -> None:
    made = jobset(SPECS["two to four"])
    name, pod = made["metadata"]["name"], pods(made)
    for role, joins in (("leader", False), ("members", True)):
        command = pod[role]["containers"][0]["command"]
        assert f"--rendezvous={name}-leader-0-0.{name}:29400" in command
        assert ("--join" in command) is joins
    assert {job["name"]: job["template"]["spec"]["parallelism"] for job in made["spec"]["replicatedJobs"]} == {
        "leader": 1,
        "members": 3,
    }
    assert made["spec"]["successPolicy"]["targetReplicatedJobs"] == ["leader"]
    assert [*pods(jobset(SPECS["one node"]))] == ["leader"]


def test_its_pods_are_locked_and_set_up_as_those_of_workers() -> None:
    worker = objects("overlays/gpu", "ScaledJob")["gpu-pods"]["spec"]["jobTargetRef"]["template"]["spec"]
    pod = pods(jobset(SPECS["a node with GPUs"]))["leader"]
    for same in ("serviceAccountName", "automountServiceAccountToken", "securityContext", "tolerations", "volumes"):
        assert pod[same] == worker[same], same
    ours, theirs = pod["containers"][0], worker["containers"][0]
    for same in ("envFrom", "securityContext", "volumeMounts"):
        assert ours[same] == theirs[same], same
    assert ours["env"] == [one for one in theirs["env"] if "valueFrom" in one]
    assert ours["resources"]["limits"]["nvidia.com/gpu"] == "8"
    assert (KUBERNETES / "base" / "settings.yaml").read_text().count("name: motherlode") == 1


@pytest.mark.parametrize("name", SPECS)
def test_a_script_is_sound_and_says_to_slurm_what_it_knows(name: str, tmp_path: Path) -> None:
    text, file = launchers()["slurm"](SPECS[name]), tmp_path / "run.sbatch"
    file.write_text(text)
    shellcheck = Path(sys.executable).parent / "shellcheck"
    for argv in (["bash", "-n", str(file)], [str(shellcheck), str(file)]):
        done = subprocess.run(argv, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    told = re.findall(r"^#SBATCH --([a-z-]+)", text, re.MULTILINE)
    assert len(told) == len(set(told)) == text.count("#SBATCH")
    assert set(told) <= OPTIONS


def test_the_first_node_of_a_script_leads_and_the_others_join(tmp_path: Path) -> None:
    """Run as Slurm would, by stand-ins for its commands and for Python that say what they were told."""
    file, tools = tmp_path / "run.sbatch", tmp_path / ".venv" / "bin"
    tools.mkdir(parents=True)
    file.write_text(launchers()["slurm"](SPECS["two to four"]))
    (tmp_path / "settings.env").write_text("MOTHERLODE_SECRET_KEY=hidden\n")
    stand_ins = {
        "scontrol": "printf 'first\\nsecond\\n'",
        "srun": 'shift; SLURM_NODEID=0 "$@"; SLURM_NODEID=1 "$@"',
        "python": 'echo "$* $NCCL_DEBUG $MOTHERLODE_SECRET_KEY"',
    }
    for name, body in stand_ins.items():
        (tools / name).write_text(f"#!/bin/bash\n{body}\n")
        (tools / name).chmod(0o755)
    told = {
        "PATH": f"{tools}:/usr/bin:/bin",
        "SLURM_JOB_NODELIST": "n[1-2]",
        "MOTHERLODE_HOME": str(tmp_path),
        "MOTHERLODE_ENV": str(tmp_path / "settings.env"),
        "TMPDIR": str(tmp_path),
    }
    done = subprocess.run(["bash", str(file)], env=told, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    led = "manage.py train_run 3 --nodes=2:4 --processes-per-node=2 --rendezvous=first:29400"
    assert done.stdout.splitlines() == [f"{led} WARN hidden", f"{led} --join WARN hidden"]
    assert not list(tmp_path.glob("motherlode-*"))


@pytest.mark.parametrize(
    ("told", "field"),
    [
        ({"least_nodes": 3, "most_nodes": 2}, "least_nodes"),
        ({"processes": 4, "gpus": 2}, "gpus"),
        ({"environment": {"MY_TOKEN": "x"}}, "environment"),
        ({"environment": {"lower": "x"}}, "environment"),
        ({"environment": {"A": "two\nlines"}}, "environment"),
        ({"image": "an image"}, "image"),
        ({"queue": "a\nb"}, "queue"),
        ({"run": 0}, "run"),
    ],
)
def test_what_can_not_be_started_is_refused_by_its_field(told: dict[str, Any], field: str) -> None:
    with pytest.raises(ConfigError) as refused:
        parse(LaunchSpec, {"run": 1} | told)
    assert [*refused.value.errors] == [field]
