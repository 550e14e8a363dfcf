"""`GET /runs/{id}/launch`: what starts nodes for one run; `train_run` is what they do."""

from typing import Any

import pytest
import yaml
from django.core.management import CommandError, call_command
from rest_framework.test import APIClient
from tests.models.registry.test_clone_run import RUN

from jobs.models import Shard

pytestmark = pytest.mark.django_db(transaction=True)
GIB = 1 << 30
NEEDS = {"gpus": 8, "memory_bytes": 64 * GIB, "cores": 32}


@pytest.fixture
def run(api: APIClient, truth: Any) -> int:
    """One of eight processes that needs more than there is."""
    config = {"recipe": {"steps": 4, "batch_size": 8, "processes": 8}}
    return int(api.post("/runs", RUN | {"config": config, "needs": NEEDS}, format="json").json()["id"])


def test_nodes_share_the_processes_of_the_run_and_what_it_needs(api: APIClient, run: int) -> None:
    told: dict[str, Any] = {
        "launcher": "kubernetes",
        "nodes": 4,
        "least_nodes": 2,
        "image": "example.org/m:1",
        "queue": "gpus",
    }
    answer = api.get(f"/runs/{run}/launch", told)
    assert answer.status_code == 200, answer.content
    made = yaml.safe_load(answer.json()["text"])
    leader, members = (job["template"]["spec"] for job in made["spec"]["replicatedJobs"])
    container = leader["template"]["spec"]["containers"][0]
    assert container["resources"]["limits"] == {"cpu": "8", "memory": str(16 * GIB), "nvidia.com/gpu": "2"}
    assert container["command"][2:6] == ["train_run", str(run), "--nodes=2:4", "--processes-per-node=2"]
    assert (members["completions"], container["image"]) == (3, "example.org/m:1")
    assert made["metadata"]["labels"]["kueue.x-k8s.io/queue-name"] == "gpus"
    told = {"launcher": "slurm", "nodes": 4, "hours": 3}
    slurm = api.get(f"/runs/{run}/launch", told).json()["text"]
    assert {"#SBATCH --nodes=4", "#SBATCH --time=3:00:00", "#SBATCH --gpus-per-node=2"} <= set(slurm.splitlines())


def test_what_can_not_be_started_is_refused(api: APIClient, run: int, subtests: pytest.Subtests) -> None:
    told: Any
    for told, status, code in [
        ({"launcher": "make"}, 400, "invalid"),
        ({"launcher": "slurm", "nodes": 3}, 422, "nodes_share_unevenly"),
        ({"launcher": "slurm", "nodes": 2, "least_nodes": 4}, 422, "launch_unfit"),
        ({"launcher": "kubernetes", "image": "an image"}, 422, "launch_unfit"),
    ]:
        with subtests.test(told=told, status=status, code=code):
            answer = api.get(f"/runs/{run}/launch", told)
            assert (answer.status_code, answer.json()["code"]) == (status, code)


def test_a_run_that_any_worker_takes_or_that_is_over_has_no_nodes_of_its_own(api: APIClient, run: int) -> None:
    free = api.post(f"/runs/{run}/clone", {"needs": None}, format="json").json()["id"]
    answer = api.get(f"/runs/{free}/launch", {"launcher": "slurm"})
    assert (answer.status_code, answer.json()["code"]) == (422, "needs_nothing")
    api.post(f"/runs/{run}/cancel")
    answer = api.get(f"/runs/{run}/launch", {"launcher": "slurm"})
    assert (answer.status_code, answer.json()["code"]) == (409, "run_not_waiting")


def test_nodes_with_less_than_the_run_needs_claim_nothing(api: APIClient, run: int, settings: Any) -> None:
    settings.WORKER_GPUS, settings.WORKER_GPU_MEMORY, settings.WORKER_GPU_NAME = 1, GIB, "Card"
    with pytest.raises(CommandError, match="needs more than these nodes have"):
        call_command("train_run", str(run), "--nodes=4")
    assert Shard.objects.get(job__run=run, phase=0).state == Shard.State.TODO
    api.post(f"/runs/{run}/cancel")
    settings.WORKER_GPUS, settings.WORKER_CORES, settings.WORKER_MEMORY = 2, 8, 16 * GIB
    call_command("train_run", str(run), "--nodes=4")  # nothing is left to do: it ends
    with pytest.raises(CommandError, match="is not a number of nodes"):
        call_command("train_run", str(run), "--nodes=4:2")
