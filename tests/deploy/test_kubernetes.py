"""deploy/kubernetes and deploy/slurm: what the API servers would take, what is locked, and what KEDA counts."""

import json
import re
import shutil
import subprocess
import sys
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Any

import jsonschema_rs
import kubernetes_validate  # type: ignore[import-untyped]
import pytest
import yaml
from django.conf import settings
from django.db import connection
from django.db.models.functions import Now
from tests.deploy.kustomized import KUBERNETES, made_of, objects, read_all

from bench import autoscaling
from core import scheduled
from embedded.environment import settings_environment
from embedded.layout import Ports, Secrets
from jobs import services, turns
from jobs.lanes import CLOCK, GPU_QUEUE
from jobs.models import Job, Shard
from jobs.needs import Needs
from jobs.services import ShardSpec, create_job
from jobs.workers import queues

OVERLAYS = ("overlays/cpu", "overlays/gpu", "overlays/gpu-kueue")
FOLDERS = ("base", *OVERLAYS, "monitoring")
SCHEMAS = Path(__file__).parent / "schemas"
"""Of KEDA 2.20 (v1alpha1), of Kueue 0.20 (v1beta2) and of the Prometheus operator 0.93 (v1), all under the Apache
license 2.0: their CRDs without words, closed. Templates of Jobs are held against Kubernetes' own schema."""
SBATCH = KUBERNETES.parent / "slurm" / "worker.sbatch"
TRAINING = {"app": "motherlode", "part": "training"}  # of the pods that `lode run manifest` describes
GIVING_BACK = 15.0  # seconds between the end of the grace and the kill
PRACTICE = ("practice", "programs", "yielding")  # kinds of jobs that the tests alone have


def pods() -> list[tuple[str, dict[str, Any]]]:
    return [(one["metadata"]["name"], template["spec"]) for one, template in templates("overlays/gpu-kueue")]


def templates(folder: str) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """What makes pods, with the pods' template."""
    found = []
    for one in made_of(folder):
        if one["kind"] in {"Deployment", "Job"}:
            found.append((one, one["spec"]["template"]))
        elif one["kind"] == "ScaledJob":
            found.append((one, one["spec"]["jobTargetRef"]["template"]))
    return found


def workers() -> list[tuple[str, dict[str, Any]]]:
    return [(name, pod) for name, pod in pods() if pod["containers"][0]["name"] == "worker"]


def containers() -> list[tuple[str, dict[str, Any]]]:
    return [
        (f"{name}/{one['name']}", one)
        for name, pod in pods()
        for one in [*pod["containers"], *pod.get("initContainers", ())]
    ]


@pytest.mark.parametrize("folder", FOLDERS)
def test_every_object_is_what_its_api_takes(folder: str) -> None:
    for one in [*made_of(folder), *rabbitmq()]:
        custom = SCHEMAS / f"{one['kind']}.json"
        if one["kind"] == "ScaledJob":
            job = {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "pods"}}
            kubernetes_validate.validate(job | {"spec": one["spec"]["jobTargetRef"]}, "1.33", strict=True)
        if custom.exists():
            faults = list(jsonschema_rs.validator_for(json.loads(custom.read_text())).iter_errors(one))
            assert not faults, [(one["kind"], fault.instance_path, fault.message) for fault in faults]
        else:
            kubernetes_validate.validate(one, "1.33", strict=True)


def test_the_check_itself_finds_what_is_wrong() -> None:
    (scaled,) = objects("scaling/gpu", "ScaledJob").values()
    schema = jsonschema_rs.validator_for(json.loads((SCHEMAS / "ScaledJob.json").read_text()))
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
    labels = [template["metadata"]["labels"] for _, template in templates(overlay)]
    for one in made:
        spec = one.get("spec", {})
        if one["kind"] in {"Service", "PodDisruptionBudget"}:
            wanted = spec["selector"].get("matchLabels", spec["selector"])
            assert [wanted.items() <= have.items() for have in labels].count(True) == 1
        if one["kind"] == "HorizontalPodAutoscaler":
            scaled = objects(overlay, "Deployment")[spec["scaleTargetRef"]["name"]]
            assert "replicas" not in scaled["spec"], "kubectl apply would set it back"
        if one["kind"] == "ScaledJob":
            asked = {trigger["authenticationRef"]["name"] for trigger in spec["triggers"]}
            assert asked <= names["TriggerAuthentication"]
        if one["kind"] == "NetworkPolicy":
            wanted = spec["podSelector"]["matchLabels"]
            assert any(wanted.items() <= have.items() for have in [*labels, TRAINING])
        if one["kind"] == "Ingress":
            paths = [path for rule in spec["rules"] for path in rule["http"]["paths"]]
            assert {path["backend"]["service"]["name"] for path in paths} <= names["Service"]
        if one["kind"] == "LocalQueue":
            assert spec["clusterQueue"] in names["ClusterQueue"]
    queue = objects("overlays/gpu-kueue", "ScaledJob")["gpu-pods"]["metadata"]["labels"]["kueue.x-k8s.io/queue-name"]
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
    bounded = {"memory"} if name.startswith("migrations/") else {"memory", "ephemeral-storage"}  # it keeps no files
    assert container["resources"]["limits"].keys() >= bounded
    assert container["resources"]["requests"].keys() >= {"cpu", *bounded}
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
        given = {one["name"]: one for one in container["env"] if "valueFrom" in one}
        assert set(embedded) <= told.keys() | given.keys() | from_image, name
        assert {one["name"] for one in container["env"]} - given.keys() <= {"MOTHERLODE_WORKER_IDLE_SECONDS"}
        assert all(one["valueFrom"]["secretKeyRef"]["name"] == "motherlode" for one in given.values())
        assert not [name for name in told if re.search("SECRET|PASSWORD|TOKEN|_KEY|DATABASE|BROKER", name)]
    text = "".join(path.read_text() for path in KUBERNETES.rglob("*.yaml"))
    assert "kind: Secret\n" not in text
    keys = set(re.findall(r"secretKeyRef: \{ name: motherlode, key: ([\w-]+)", text))
    guide = (KUBERNETES.parents[1] / "docs" / "howto" / "kubernetes.md").read_text()
    assert keys == set(re.findall(r"--from-literal=([\w-]+)=", guide))


def test_a_worker_that_is_stopped_has_time_to_give_its_shard_back() -> None:
    (told,) = (one["data"] for one in objects("base", "ConfigMap").values())
    grace = float(told["MOTHERLODE_WORKER_GRACE_SECONDS"])
    assert len(workers()) >= 4
    for _, pod in workers():
        assert grace + GIVING_BACK <= pod["terminationGracePeriodSeconds"]
        assert "lifecycle" not in pod["containers"][0], "SIGTERM is all that a worker needs"
    spared, grace = (
        int(re.findall(pattern, SBATCH.read_text())[0]) for pattern in (r"TERM@(\d+)", r"GRACE_SECONDS=(\d+)")
    )
    assert grace + GIVING_BACK <= spared
    compose = yaml.safe_load((KUBERNETES.parent / "compose.yaml").read_text())["services"]
    periods = {name: one["stop_grace_period"] for name, one in compose.items() if name.startswith("worker")}
    assert set(periods.values()) == {"3m"}
    passed = re.findall(r"WORKER_GRACE_SECONDS:-(\d+)", (KUBERNETES.parent / "compose.yaml").read_text())
    assert [float(seconds) + GIVING_BACK <= 180 for seconds in passed] == [True]


def test_the_workers_of_one_host_listen_to_every_queue_and_the_sweeps_have_their_own() -> None:
    services = yaml.safe_load((KUBERNETES.parent / "compose.yaml").read_text())["services"]
    commands = {name: one["command"] for name, one in services.items() if name.startswith("worker")}
    listen = {name: command[command.index("-Q") + 1].split(",") for name, command in commands.items()}
    assert {queue for names in listen.values() for queue in names} == set(turns.queue_names()) - {"practice"}
    assert [name for name, names in listen.items() if "clock" in names] == ["worker-clock"]
    assert listen["worker-clock"] == ["clock"]


def test_workers_listen_to_every_queue_and_those_with_gpus_to_theirs_alone() -> None:
    listen = {
        name: pod["containers"][0]["command"][pod["containers"][0]["command"].index("-Q") + 1].split(",")
        for name, pod in workers()
    }
    assert {queue for names in listen.values() for queue in names} == set(turns.queue_names()) - {"practice"}
    assert listen["gpu-pods"] == [GPU_QUEUE]
    assert listen["worker-clock"] == [CLOCK], "no job may hold the sweeps up"
    assert all(CLOCK not in names for name, names in listen.items() if name != "worker-clock")
    assert all(GPU_QUEUE not in names for name, names in listen.items() if name != "gpu-pods")
    limits = dict(pods())["gpu-pods"]["containers"][0]["resources"]["limits"]
    assert limits["nvidia.com/gpu"] == "1"


def rabbitmq() -> list[dict[str, Any]]:
    """The pods for GPUs as the patch makes them that goes by messages."""
    (scaled,) = objects("scaling/gpu", "ScaledJob").values()
    (patch,) = read_all(KUBERNETES / "scaling" / "rabbitmq.yaml")
    assert (patch["kind"], patch["metadata"]) == (scaled["kind"], {"name": scaled["metadata"]["name"]})
    return [scaled | {"spec": scaled["spec"] | patch["spec"]}]


def test_beat_and_workers_are_asked_for_their_own_heartbeat_and_know_their_names() -> None:
    asked = {name: pod["containers"][0] for name, pod in [*workers(), ("beat", dict(pods())["beat"])]}
    for name, container in asked.items():
        argv = container["livenessProbe"]["exec"]["command"]
        assert argv[:3] == ["python", "-m", "core.alive"]
        own = scheduled.BEAT if name == "beat" else container["command"][container["command"].index("-n") + 1]
        assert argv[3] == own.partition("@")[0]
        often = scheduled.BEAT_SILENT_SECONDS if name == "beat" else settings.WORKER_BEAT_SECONDS
        assert float(argv[4]) >= 2 * often


def test_pods_of_autoscaled_work_are_one_for_each_shard_and_nothing_takes_them_away() -> None:
    for name, one in objects("overlays/gpu", "ScaledJob").items():
        spec, template = one["spec"], one["spec"]["jobTargetRef"]["template"]
        assert {trigger["metadata"]["targetQueryValue"] for trigger in spec["triggers"]} == {"1"}, name
        assert spec["rollout"]["strategy"] == "gradual", "else a new image would end those that work"
        assert template["spec"]["restartPolicy"] == "Never"
        assert template["metadata"]["annotations"] == {
            "cluster-autoscaler.kubernetes.io/safe-to-evict": "false",
            "karpenter.sh/do-not-disrupt": "true",
        }
        assert template["metadata"]["labels"]["part"] == name
    assert objects("overlays/gpu", "Deployment")["worker-compute"]["spec"]["replicas"] == 0
    assert objects("base", "Deployment")["worker-compute"]["spec"]["replicas"] == 1


def test_ten_trainings_beside_a_thousand_short_shards_keep_their_pods() -> None:
    """As KEDA decides by the manifests' own numbers; a Deployment would end some of them."""
    scaling = autoscaling.of_manifest("compute")
    shards = autoscaling.trace(10, 1000)
    outcome = autoscaling.Simulation(scaling, shards).run(autoscaling.Simulation.as_jobs)
    assert outcome.ended_while_working == 0
    assert max(outcome.pods) == scaling.most
    assert outcome.pods[3600] == 10, "one for each training, and none that idles"
    assert max(outcome.first_waits) <= autoscaling.START_SECONDS + scaling.poll
    assert outcome.seconds < autoscaling.TRAINING + 120
    halved = autoscaling.Simulation(autoscaling.DEPLOYMENT, shards).run(autoscaling.Simulation.as_deployment)
    assert halved.ended_while_working > 0, "the simulation sees the fault that it is there for"


def test_the_monitors_scrape_ports_that_pods_have() -> None:
    ports = {
        template["metadata"]["labels"]["part"]: {
            port["name"]: port["containerPort"] for port in template["spec"]["containers"][0].get("ports", ())
        }
        for folder in ("overlays/gpu",)
        for _, template in templates(folder)
    }
    told = next(iter(objects("base", "ConfigMap").values()))["data"]
    assert ports["web"]["server"] == int(told["GRANIAN_METRICS_PORT"])
    own = {one["metrics"] for one in ports.values() if "metrics" in one}
    assert own == {int(told["MOTHERLODE_WORKER_METRICS_PORT"])}
    for monitor in objects("monitoring", "PodMonitor").values():
        chosen = monitor["spec"]["selector"]
        parts = [part for one in chosen.get("matchExpressions", ()) for part in one["values"]]
        for part in parts or [chosen["matchLabels"]["part"]]:
            assert {one["port"] for one in monitor["spec"]["podMetricsEndpoints"]} <= ports[part].keys(), part
    seen = {part for part, named in ports.items() if "metrics" in named}
    (named,) = objects("monitoring", "PodMonitor")["motherlode-workers"]["spec"]["selector"]["matchExpressions"]
    assert seen == set(named["values"])


@pytest.mark.skipif(shutil.which("kubectl") is None, reason="needs kubectl")
@pytest.mark.parametrize("folder", FOLDERS)
def test_kubectl_makes_the_same_of_each_folder(folder: str) -> None:
    argv = ["kubectl", "kustomize", str(KUBERNETES / folder)]
    done = subprocess.run(argv, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    by_name = {(one["kind"], one["metadata"]["name"]): one for one in yaml.safe_load_all(done.stdout)}
    assert by_name == {(one["kind"], one["metadata"]["name"]): one for one in made_of(folder)}


def query_of(queue: str) -> str:
    (scaled,) = objects(f"scaling/{queue}", "ScaledJob").values()
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
