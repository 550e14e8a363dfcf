"""deploy/kubernetes and deploy/slurm: what the API servers would take, what is locked, and what KEDA counts."""

import json
import re
import subprocess
import sys
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Any

import jsonschema_rs
import kubernetes_validate  # type: ignore[import-untyped]
import pytest
from django.conf import settings
from django.db import connection
from django.db.models.functions import Now
from tests.deploy.kustomized import KUBERNETES, made_of, objects, read_all

from embedded.environment import settings_environment
from embedded.layout import Ports, Secrets
from jobs import services, turns
from jobs.models import Job, Shard
from jobs.needs import Needs
from jobs.services import ShardSpec, create_job
from jobs.workers import queues

OVERLAYS = ("overlays/cpu", "overlays/gpu", "overlays/gpu-kueue")
SCHEMAS = Path(__file__).parent / "schemas"
"""Of KEDA 2.20 (v1alpha1) and of Kueue 0.20 (v1beta2), both under the Apache license 2.0: their CRDs without words,
closed."""
SBATCH = KUBERNETES.parent / "slurm" / "worker.sbatch"
PRACTICE = ("practice", "programs")  # kinds of jobs that the tests alone have


def pods() -> list[tuple[str, dict[str, Any]]]:
    found = [one for one in made_of("overlays/gpu-kueue") if one["kind"] in {"Deployment", "Job"}]
    return [(one["metadata"]["name"], one["spec"]["template"]["spec"]) for one in found]


def containers() -> list[tuple[str, dict[str, Any]]]:
    return [
        (f"{name}/{one['name']}", one)
        for name, pod in pods()
        for one in [*pod["containers"], *pod.get("initContainers", ())]
    ]


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_every_object_is_what_its_api_takes(overlay: str) -> None:
    for one in [*made_of(overlay), *read_all(KUBERNETES / "scaling" / "rabbitmq.yaml")]:
        custom = SCHEMAS / f"{one['kind']}.json"
        if custom.exists():
            faults = list(jsonschema_rs.validator_for(json.loads(custom.read_text())).iter_errors(one))
            assert not faults, [(one["kind"], fault.instance_path, fault.message) for fault in faults]
        else:
            kubernetes_validate.validate(one, "1.33", strict=True)


def test_the_check_itself_finds_what_is_wrong() -> None:
    (scaled,) = objects("scaling/gpu", "ScaledObject").values()
    schema = jsonschema_rs.validator_for(json.loads((SCHEMAS / "ScaledObject.json").read_text()))
    assert not schema.is_valid(scaled | {"spec": scaled["spec"] | {"maxReplicas": 3}})
    assert not schema.is_valid(scaled | {"spec": scaled["spec"] | {"maxReplicaCount": "many"}})
    web = objects("base", "Deployment")["web"]
    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(web | {"spec": web["spec"] | {"replica": 2}}, "1.33", strict=True)


@pytest.mark.parametrize("overlay", OVERLAYS)
def test_whatever_is_named_exists(overlay: str) -> None:
    made = made_of(overlay)
    names = {kind: set(objects(overlay, kind)) for kind in {one["kind"] for one in made}}
    assert len({(one["kind"], one["metadata"]["name"]) for one in made}) == len(made)
    labels = [one["spec"]["template"]["metadata"]["labels"] for one in made if one["kind"] == "Deployment"]
    for one in made:
        spec = one.get("spec", {})
        if one["kind"] in {"Service", "PodDisruptionBudget"}:
            wanted = spec["selector"].get("matchLabels", spec["selector"])
            assert [wanted.items() <= have.items() for have in labels].count(True) == 1
        if one["kind"] == "ScaledObject":
            assert spec["scaleTargetRef"]["name"] in names["Deployment"]
            assert "replicas" not in objects(overlay, "Deployment")[spec["scaleTargetRef"]["name"]]["spec"]
            assert {trigger["authenticationRef"]["name"] for trigger in spec["triggers"]} <= names[
                "TriggerAuthentication"
            ]
        if one["kind"] == "Ingress":
            paths = [path for rule in spec["rules"] for path in rule["http"]["paths"]]
            assert {path["backend"]["service"]["name"] for path in paths} <= names["Service"]
        if one["kind"] == "LocalQueue":
            assert spec["clusterQueue"] in names["ClusterQueue"]
    queue = objects("overlays/gpu-kueue", "Deployment")["worker-gpu"]["metadata"]["labels"]["kueue.x-k8s.io/queue-name"]
    assert queue in objects("overlays/gpu-kueue", "LocalQueue")


@pytest.mark.parametrize(("name", "container"), containers(), ids=[name for name, _ in containers()])
def test_every_container_is_locked_and_bounded(name: str, container: dict[str, Any]) -> None:
    pod = dict(pods())[name.partition("/")[0]]
    assert pod["securityContext"]["runAsNonRoot"]
    assert f"useradd --uid {pod['securityContext']['runAsUser']} " in (KUBERNETES.parent / "Dockerfile").read_text()
    assert not pod["automountServiceAccountToken"]
    locked = container["securityContext"]
    assert (locked["readOnlyRootFilesystem"], locked["allowPrivilegeEscalation"]) == (True, False)
    assert locked["capabilities"]["drop"] == ["ALL"]
    assert "memory" in container["resources"]["limits"]
    volumes = {volume["name"] for volume in pod["volumes"]}
    places = {mount["mountPath"]: mount["name"] for mount in container["volumeMounts"]}
    assert set(places.values()) <= volumes
    assert places.keys() >= {"/tmp", "/var/lib/motherlode"}  # noqa: S108 - what is written at all
    assert all("sizeLimit" in volume["emptyDir"] for volume in pod["volumes"])


def test_every_process_gets_the_settings_that_the_embedded_one_gets_and_secrets_by_reference_alone() -> None:
    embedded = settings_environment(
        root=Path("/"), var=Path("/"), ports=Ports(1, 2, 3), secrets=Secrets("a", "b", "c", "d")
    )
    (told,) = (one["data"] for one in objects("base", "ConfigMap").values())
    from_image = set(re.findall(r"\b([A-Z_]+)=", (KUBERNETES.parent / "Dockerfile").read_text()))
    for name, container in containers():
        given = {one["name"]: one for one in container["env"]}
        assert set(embedded) <= told.keys() | given.keys() | from_image, name
        assert all(one["valueFrom"]["secretKeyRef"]["name"] == "motherlode" for one in given.values())
    text = "".join(path.read_text() for path in KUBERNETES.rglob("*.yaml"))
    assert "kind: Secret\n" not in text
    keys = set(re.findall(r"secretKeyRef: \{ name: motherlode, key: ([\w-]+)", text))
    guide = (KUBERNETES.parents[1] / "docs" / "howto" / "kubernetes.md").read_text()
    assert keys == set(re.findall(r"--from-literal=([\w-]+)=", guide))


def test_a_worker_that_is_stopped_has_time_to_give_its_shard_back() -> None:
    for name, pod in pods():
        if not name.startswith("worker"):
            continue
        hook = pod["containers"][0]["lifecycle"]["preStop"]["exec"]["command"][-1]
        seconds = [int(number) for number in re.findall(r"sleep (\d+)", hook)]
        assert (hook.index("-TERM") < hook.index("-QUIT"), len(seconds)) == (True, 2)
        assert seconds[1] >= settings.JOB_LEASE_SECONDS  # else another one would take up what is not given back yet
        assert sum(seconds) < pod["terminationGracePeriodSeconds"]
    spared = int(re.findall(r"TERM@(\d+)", SBATCH.read_text())[0])
    assert sum(map(int, re.findall(r"sleep (\d+)", SBATCH.read_text()))) + settings.JOB_LEASE_SECONDS < spared


def test_workers_listen_to_every_queue_and_those_with_gpus_to_theirs_alone() -> None:
    listen = {
        name: pod["containers"][0]["command"][pod["containers"][0]["command"].index("-Q") + 1].split(",")
        for name, pod in pods()
        if name.startswith("worker")
    }
    assert {queue for names in listen.values() for queue in names} == set(turns.queue_names()) - {"practice"}
    assert listen["worker-gpu"] == [turns.GPU_QUEUE]
    assert all(turns.GPU_QUEUE not in names for name, names in listen.items() if name != "worker-gpu")
    limits = dict(pods())["worker-gpu"]["containers"][0]["resources"]["limits"]
    assert limits["nvidia.com/gpu"] == "1"


def query_of(queue: str) -> str:
    (scaled,) = objects(f"scaling/{queue}", "ScaledObject").values()
    query: str = scaled["spec"]["triggers"][0]["metadata"]["query"]
    return query


def counted_by_keda(queue: str) -> int:
    with connection.cursor() as cursor:
        cursor.execute(query_of(queue))
        return int(cursor.fetchone()[0])


@pytest.mark.production
@pytest.mark.django_db
def test_what_keda_counts_is_what_the_platform_counts(settings: Any) -> None:
    """Every kind of job, with and without a GPU, in every state that a shard can have."""
    assert counted_by_keda("gpu") == counted_by_keda("compute") == 0
    for kind in settings.JOB_HANDLERS:
        if kind in PRACTICE:
            continue
        for needs in (Needs(), Needs(gpus=1), Needs(cores=1)):
            job = create_job(kind, "a job", shards=[ShardSpec(needs=needs) for _ in range(6)] + [ShardSpec(phase=1)])
            _waits, later, held, lost, done, *_others = job.shards.order_by("index")
            Shard.objects.filter(pk=later.pk).update(not_before=Now() + timedelta(hours=1))
            lease = {held.pk: timedelta(seconds=9), lost.pk: timedelta(seconds=-9)}
            for pk, left in lease.items():
                Shard.objects.filter(pk=pk).update(state="running", lease_until=Now() + left, attempts=1)
            Shard.objects.filter(pk=done.pk).update(state="done")
    ended, cancelled = (
        create_job("train", "ended", shards=[ShardSpec()]),
        create_job("mine", "no", shards=[ShardSpec()]),
    )
    Job.objects.filter(pk=ended.pk).update(state="failed")
    Job.objects.filter(pk=cancelled.pk).update(cancel_requested=True)
    ours = Counter({one["name"]: one["shards_waiting"] + one["running"] for one in queues()})
    assert ours["gpu"] == counted_by_keda("gpu") > 0
    assert ours["compute"] == counted_by_keda("compute") > 0
    before = counted_by_keda("gpu")
    mine = create_job("mine", "one more", shards=[ShardSpec(needs=Needs(gpus=1))])
    assert counted_by_keda("gpu") == before + 1
    services.cancel(mine.pk)
    assert counted_by_keda("gpu") == before


def test_the_script_for_slurm_is_sound() -> None:
    shellcheck = Path(sys.executable).parent / "shellcheck"
    for argv in (["bash", "-n", str(SBATCH)], [str(shellcheck), str(SBATCH)]):
        done = subprocess.run(argv, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
