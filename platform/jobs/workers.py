"""The machines that work, what they are busy with, and what waits for them."""

from collections import Counter, defaultdict
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db.models import Count
from django.db.models.functions import Now

from accounts.rights import is_member
from jobs.handlers import handler_for
from jobs.models import Beat, Shard
from jobs.queue_depths import waiting

ELSEWHERE = "work of another project"
HELD = {"state": Shard.State.RUNNING, "lease_until__gte": Now()}


def machines() -> list[dict[str, Any]]:
    """Those of which a worker was heard lately, by name, each with the figures of its last sign of life."""
    busy = _busy()
    found: dict[str, dict[str, Any]] = {}
    lately = Beat.objects.filter(seen__gte=Now() - timedelta(seconds=settings.WORKER_GONE_SECONDS))
    for beat in lately.order_by("host", "seen"):
        others = found.get(beat.host, {"workers": []})["workers"]
        own = [_process(beat, facts, busy) for facts in beat.processes]
        workers = sorted([*others, *own], key=lambda one: (one["name"], one["pid"]))
        found[beat.host] = {"name": beat.host, "seen": beat.seen, **beat.machine, "workers": workers}
    return list(found.values())


def queues() -> list[dict[str, Any]]:
    """Every queue that some kind of job or some worker uses: messages in the broker (None: unknown), shards that wait
    and shards that are worked on."""
    of_kind = {kind: handler_for(kind).queue for kind in settings.JOB_HANDLERS}
    listened = {queue for names in Beat.objects.values_list("queues", flat=True) for queue in names}
    names = sorted({*of_kind.values(), *listened})
    running = _by_queue(Shard.objects.filter(**HELD), of_kind)
    free = _by_queue(Shard.objects.claimable(), of_kind)
    messages = waiting(names)
    return [
        {"name": name, "waiting": messages[name], "shards_waiting": free[name], "running": running[name]}
        for name in names
    ]


def _by_queue(shards: Any, of_kind: dict[str, str]) -> Counter[str]:
    found: Counter[str] = Counter()
    for kind, count in shards.order_by().values_list("job__kind").annotate(count=Count("pk")):
        found[of_kind.get(kind, "")] += count
    return found


def _busy() -> dict[str, dict[str, Any]]:
    """By owner (`host:pid`), the shard it holds."""
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
