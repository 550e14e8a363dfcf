"""Images that jobs could not read, over all jobs. Handlers report them in a shard's result: `quarantined`, a list of
`{md5, code, detail}`."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.utils.module_loading import import_string

from accounts.rights import projects, visible
from jobs.models import Shard

SHOWN = 100
KEPT_SECONDS = 30
Names = Callable[[Iterable[str]], Mapping[str, dict[str, Any]]]


def quarantined() -> dict[str, Any]:
    """`{images, results}` of the caller's projects: the number of distinct images, and the newest, each with a sample
    that has those bytes if one still has. Cached for half a minute, because it looks through all shards."""
    among = projects()
    key = "jobs.quarantined" if among is None else "jobs.quarantined." + ".".join(map(str, sorted(among)))
    found: dict[str, Any] | None = cache.get(key)
    if found is None:
        found = _read()
        cache.set(key, found, KEPT_SECONDS)
    return found


def _read() -> dict[str, Any]:
    rows = visible(Shard.objects.filter(result__quarantined__0__isnull=False), "job__project").order_by("-pk")
    newest: dict[str, dict[str, Any]] = {}
    for job, items in rows.values_list("job_id", "result__quarantined").iterator(chunk_size=50):
        for item in items:
            newest.setdefault(item["md5"], {"digest": item["md5"], "reason": item["detail"], "code": item["code"]}
                              | {"job": job})  # fmt: skip
    shown = list(newest.values())[:SHOWN]
    names: Names = import_string(settings.SAMPLE_NAMES)
    known = names(row["digest"] for row in shown)
    absent = {"sample": None, "dataset": None}
    return {"images": len(newest), "results": [row | absent | known.get(row["digest"], {}) for row in shown]}
