"""A training as a JobSet (jobset.x-k8s.io/v1alpha2): a Job of one pod that leads, and one of the pods that join it.

A JobSet needs nothing of the cluster but its controller, gives pods names that the others can look up, and is what
Kueue admits as one; a TrainJob of the Kubeflow trainer becomes one too, but wants a TrainingRuntime beside it.
"""

from typing import Any

import yaml

from training.launchers import PORT, LaunchSpec

QUEUE_LABEL = "kueue.x-k8s.io/queue-name"
SECRETS = {
    "MOTHERLODE_SECRET_KEY": "secret-key",
    "MOTHERLODE_DATABASE_URL": "database-url",
    "MOTHERLODE_BROKER_URL": "broker-url",
    "MOTHERLODE_S3_ACCESS_KEY": "s3-access-key",
    "MOTHERLODE_S3_SECRET_KEY": "s3-secret-key",
}
"""Map each variable to its key in the Secret `motherlode` that all workers use."""
PLACES = {"state": "/var/lib/motherlode", "tmp": "/tmp", "shared-memory": "/dev/shm"}  # noqa: S108 - in a pod
VOLUME = "20Gi"


def manifest(spec: LaunchSpec) -> str:
    """YAML for `kubectl apply -f -`, in the namespace where the workers are."""
    jobs = [_job(spec, "leader", pods=1)]
    if spec.most_nodes > 1:
        jobs.append(_job(spec, "members", pods=spec.most_nodes - 1))
    labels = {"app": "motherlode", "part": "training"} | ({QUEUE_LABEL: spec.queue} if spec.queue else {})
    made = {
        "apiVersion": "jobset.x-k8s.io/v1alpha2",
        "kind": "JobSet",
        "metadata": {"name": spec.name, "labels": labels},
        "spec": {
            "network": {"enableDNSHostnames": True},
            "failurePolicy": {"maxRestarts": spec.restarts},
            "successPolicy": {"operator": "All", "targetReplicatedJobs": ["leader"]},
            "replicatedJobs": jobs,
        },
    }
    return yaml.safe_dump(made, sort_keys=False, width=120)


def _job(spec: LaunchSpec, name: str, *, pods: int) -> dict[str, Any]:
    """A Job whose dead pods are replaced; the training continues with the others if there are enough."""
    pod = {
        "metadata": {"labels": {"app": "motherlode", "part": "training"}},
        "spec": _pod(spec, joins=name == "members"),
    }
    job = {"parallelism": pods, "completions": pods, "completionMode": "Indexed", "backoffLimit": spec.restarts * pods}
    return {"name": name, "replicas": 1, "template": {"spec": {**job, "template": pod}}}


def _pod(spec: LaunchSpec, *, joins: bool) -> dict[str, Any]:
    tolerated = [{"key": "nvidia.com/gpu", "operator": "Exists", "effect": "NoSchedule"}]
    return {
        "restartPolicy": "Never",
        "serviceAccountName": "motherlode",
        "automountServiceAccountToken": False,
        "terminationGracePeriodSeconds": 60,
        "securityContext": {
            "runAsNonRoot": True,
            "runAsUser": 1000,
            "runAsGroup": 1000,
            "fsGroup": 1000,
            "seccompProfile": {"type": "RuntimeDefault"},
        },
        **({"tolerations": tolerated} if spec.gpus else {}),
        "containers": [_container(spec, joins=joins)],
        "volumes": [
            {"name": "state", "emptyDir": {"sizeLimit": VOLUME}},
            {"name": "tmp", "emptyDir": {"sizeLimit": VOLUME}},
            {"name": "shared-memory", "emptyDir": {"medium": "Memory", "sizeLimit": "2Gi"}},
        ],
    }


def _optional(key: str) -> dict[str, Any]:
    """The store's keys may be missing: a role takes their place."""
    return {"optional": True} if key.startswith("s3-") else {}


def _container(spec: LaunchSpec, *, joins: bool) -> dict[str, Any]:
    rendezvous = f"{spec.name}-leader-0-0.{spec.name}:{PORT}"
    secrets = [
        {"name": name, "valueFrom": {"secretKeyRef": {"name": "motherlode", "key": key} | _optional(key)}}
        for name, key in SECRETS.items()
    ]
    plain = [{"name": name, "value": text} for name, text in spec.environment.items()]
    size = {"cpu": str(spec.cores), "memory": str(spec.memory)}
    return {
        "name": "training",
        "image": spec.image,
        "imagePullPolicy": "IfNotPresent",
        "command": spec.command(rendezvous=rendezvous, joins=joins),
        "envFrom": [{"configMapRef": {"name": "motherlode"}}],
        "env": [*secrets, *plain],
        "ports": [] if joins else [{"name": "rendezvous", "containerPort": PORT}],
        "securityContext": {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        },
        "volumeMounts": [{"name": name, "mountPath": path} for name, path in PLACES.items()],
        "resources": {
            "requests": size,
            "limits": size | ({"nvidia.com/gpu": str(spec.gpus)} if spec.gpus else {}),
        },
    }
