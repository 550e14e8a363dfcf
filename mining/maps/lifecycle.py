"""What in maps and leak checks depends on datasets and models."""

from jobs.lifecycle.kinds import Fate, Part, register
from jobs.models import Job
from maps.leak_checks import KIND
from maps.models import EmbeddingMap

LEAK_CHECKS = Job.objects.filter(kind=KIND, state__in=Job.OPEN)

register(
    "dataset",
    Part("running maps", Fate.BUSY, lambda row: EmbeddingMap.objects.filter(dataset=row, job__state__in=Job.OPEN)),
    Part("leak checks", Fate.BUSY, lambda row: LEAK_CHECKS.filter(params__dataset=row.pk)),
    Part("maps", Fate.GOES, lambda row: EmbeddingMap.objects.filter(dataset=row)),
)
register("model", Part("leak checks", Fate.BUSY, lambda row: LEAK_CHECKS.filter(params__model=row.pk)))
