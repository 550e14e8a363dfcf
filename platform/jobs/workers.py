"""The machines that work, what they are busy with, and what waits for them."""

from collections import Counter, defaultdict
from typing import Any

from django.db.models import Count
from django.db.models.functions import Now

from accounts.rights import is_member
from jobs.models import Beat, Shard, ShardQuerySet
from jobs.queue_depths import waiting
from jobs.turns import queue_names, queue_of

ELSEWHERE = "work of another project"
HELD = {"state": Shard.State.RUNNING, "lease_until__gte": Now()}


def machines() -> list[dict[str, Any]]:
    """The machines with a recent worker heartbeat, by name, each with the figures of its last one."""
    busy = _busy()
    found: dict[str, dict[str, Any]] = {}
    for beat in Beat.objects.living().order_by("host", "seen"):
        others = found.get(beat.host, {"workers": []})["workers"]
        own = [_process(beat, facts, busy) for facts in beat.processes]
        workers = sorted([*others, *own], key=lambda one: (one["name"], one["pid"]))
        found[beat.host] = {"name": beat.host, "seen": beat.seen, **beat.machine, "workers": workers}
    return list(found.values())


def queues() -> list[dict[str, Any]]:
    """Every queue that some kind of job or some worker uses: messages in the broker (None: unknown), shards that wait
    and shards that are worked on."""
    listened = {queue for names in Beat.objects.values_list("queues", flat=True) for queue in names}
    names = sorted({*queue_names(), *listened})
    running = _by_queue(Shard.objects.filter(**HELD))
    free = _by_queue(Shard.objects.claimable())
    messages = waiting(names)
    return [
        {"name": name, "waiting": messages[name], "shards_waiting": free[name], "running": running[name]}
        for name in names
    ]


def _by_queue(shards: ShardQuerySet) -> Counter[str]:
    found: Counter[str] = Counter()
    for on_gpus in (False, True):
        rows = shards.on_gpus(on_gpus).order_by().values_list("job__kind").annotate(count=Count("pk"))
        for kind, count in rows:
            found[queue_of(kind, on_gpus=on_gpus)] += count
    return found


def _busy() -> dict[str, dict[str, Any]]:
    """Map each owner (`host:pid`) to the shard it holds."""
    found: dict[str, dict[str, Any]] = defaultdict(dict)
    rows = Shard.objects.filter(**HELD).select_related("job")
    for shard in rows.defer("params", "result", "job__params", "job__result"):
        known = is_member(shard.job.project_id)
        found[shard.owner] = {
            "job": shard.job_id,
            "shard": shard.index,
            "title": shard.job.title if known else ELSEWHERE,
        }
    return found


def _process(beat: Beat, facts: dict[str, Any], busy: dict[str, dict[str, Any]]) -> dict[str, Any]:
    holds = busy.get(f"{beat.host}:{facts['pid']}")
    return facts | {"name": beat.name, "queues": beat.queues, "busy_with": holds}
