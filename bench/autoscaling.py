"""What KEDA makes of deploy/kubernetes, simulated second by second: pods over time, and shards that lost their pod.

    python -m bench.autoscaling               # ten trainings of two hours beside 1,000 shards of 20 seconds

Polling, target, maximum and a pod's idle time are read from the manifests. The decisions are those of KEDA 2.20
(`scale_jobs.go`, strategy `default`) and, to compare, of an autoscaled Deployment with two shards a pod, which takes
the newest pods away, whatever they do.
"""

import argparse
import math
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

MANIFESTS = Path(__file__).resolve().parents[1] / "deploy" / "kubernetes" / "scaling"
START_SECONDS = 30
TRAINING, SHORT = 2 * 3600, 20
LONGEST = 24 * 3600


@dataclass(frozen=True, slots=True)
class Scaling:
    """How pods come and go. `idle` is after how many seconds without work a pod ends itself (None: never)."""

    target: int
    most: int
    least: int
    poll: int
    idle: int | None

    def wanted(self, shards: int) -> int:
        """Pods for so many open shards."""
        return min(max(math.ceil(shards / self.target), self.least), self.most)


def of_manifest(queue: str) -> Scaling:
    """Return the scaling of `scaling/<queue>/workers.yaml`."""
    documents = yaml.safe_load_all((MANIFESTS / queue / "workers.yaml").read_text())
    (spec,) = [one["spec"] for one in documents if one["kind"] == "ScaledJob"]
    (trigger,) = spec["triggers"]
    (container,) = spec["jobTargetRef"]["template"]["spec"]["containers"]
    told: dict[str, Any] = {one["name"]: one.get("value") for one in container["env"]}
    return Scaling(
        target=int(trigger["metadata"]["targetQueryValue"]),
        most=spec["maxReplicaCount"],
        least=spec["minReplicaCount"],
        poll=spec["pollingInterval"],
        idle=int(told["MOTHERLODE_WORKER_IDLE_SECONDS"]),
    )


DEPLOYMENT = Scaling(target=2, most=50, least=1, poll=15, idle=None)
CALM_SECONDS, SHARE, PERIOD = 300, 0.25, 60  # of its scaling down: stabilization, and a policy of 25 % a minute


@dataclass(slots=True)
class Pod:
    ready: int
    shard: int | None = None  # seconds that its shard takes
    until: int = 0
    idle_since: int = 0


@dataclass(slots=True)
class Outcome:
    """Pods at each second, shards that lost their pod while it worked on them, and when all work was done."""

    pods: list[int] = field(default_factory=list)
    ended_while_working: int = 0
    seconds: int = 0
    first_waits: list[int] = field(default_factory=list)  # of the trainings, until a pod took them


class Simulation:
    """A queue of shards (their seconds), and pods that take one at a time."""

    def __init__(self, scaling: Scaling, shards: Sequence[int]) -> None:
        self.scaling, self.waiting, self.pods = scaling, deque(shards), list[Pod]()
        self.outcome, self._wanted, self._shrunk = Outcome(), deque[tuple[int, int]](), -PERIOD

    def run(self, scale: Callable[["Simulation", int, int], None]) -> Outcome:
        """Run until all is done. `scale(simulation, now, open shards)` adds or takes pods at each poll."""
        now = 0
        while self.waiting or any(pod.shard is not None for pod in self.pods):
            if now % self.scaling.poll == 0:
                scale(self, now, len(self.waiting) + sum(pod.shard is not None for pod in self.pods))
            for pod in self.pods:
                self._work(pod, now)
            idle = self.scaling.idle
            self.pods = [
                pod for pod in self.pods
                if idle is None or pod.shard is not None or now - max(pod.idle_since, pod.ready) < idle
            ]  # fmt: skip
            self.outcome.pods.append(len(self.pods))
            now += 1
            if now > LONGEST:
                raise RuntimeError(f"not done after {LONGEST} s: {len(self.waiting)} shards wait")
        self.outcome.seconds = now
        return self.outcome

    def _work(self, pod: Pod, now: int) -> None:
        if pod.shard is not None and now >= pod.until:
            pod.shard, pod.idle_since = None, now
        if pod.shard is None and now >= pod.ready and self.waiting:
            pod.shard = self.waiting.popleft()
            pod.until = now + pod.shard
            if pod.shard == TRAINING:
                self.outcome.first_waits.append(now)

    def as_jobs(self, now: int, shards: int) -> None:
        """KEDA's ScaledJob: Jobs are added, never taken away."""
        missing = self.scaling.wanted(shards) - len(self.pods)
        self.pods += [Pod(now + START_SECONDS) for _ in range(max(0, missing))]

    def as_deployment(self, now: int, shards: int) -> None:
        """An HPA: it adds at once, and takes away the newest, by its policy."""
        self._wanted.append((now, self.scaling.wanted(shards)))
        while self._wanted[0][0] <= now - CALM_SECONDS:
            self._wanted.popleft()
        wanted = max(number for _, number in self._wanted)
        self.pods += [Pod(now + START_SECONDS) for _ in range(max(0, wanted - len(self.pods)))]
        if wanted < len(self.pods) and now - self._shrunk >= PERIOD:
            self._shrunk = now
            for _ in range(min(len(self.pods) - wanted, math.ceil(SHARE * len(self.pods)))):
                if (lost := self.pods.pop().shard) is not None:
                    self.outcome.ended_while_working += 1
                    self.waiting.appendleft(lost)


def trace(trainings: int, shorts: int) -> list[int]:
    """The shards in the order in which pods take them: jobs have turns, so that both kinds go on at once."""
    shards: list[int] = []
    for number in range(max(trainings, shorts)):
        shards += [TRAINING] * (number < trainings) + [SHORT] * (number < shorts)
    return shards


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trainings", type=int, default=10)
    parser.add_argument("--shorts", type=int, default=1000)
    chosen = parser.parse_args()
    shards = trace(chosen.trainings, chosen.shorts)
    for name, scaling, scale in (
        ("the manifests: a Job for each shard", of_manifest("compute"), Simulation.as_jobs),
        ("a Deployment, two shards a pod", DEPLOYMENT, Simulation.as_deployment),
    ):
        outcome = Simulation(scaling, shards).run(scale)
        hours, used = outcome.seconds / 3600, sum(outcome.pods) / 3600
        print(f"{name}: done after {hours:.2f} h, at most {max(outcome.pods)} pods, {used:.1f} pod hours,")
        print(f"  ended while working: {outcome.ended_while_working}")
        marks = [0, 30, 60, 120, 300, 450, 600, 900, 1800, 3600, 7200]
        print("  pods:", ", ".join(f"{at} s {outcome.pods[at]}" for at in marks if at < len(outcome.pods)))


if __name__ == "__main__":
    main()
