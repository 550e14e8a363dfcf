"""What of maps depends on datasets."""

from jobs.lifecycle.kinds import Fate, Part, register
from jobs.models import Job
from maps.models import EmbeddingMap

register(
    "dataset",
    Part("running maps", Fate.BUSY, lambda row: EmbeddingMap.objects.filter(dataset=row, job__state__in=Job.OPEN)),
    Part("maps", Fate.GOES, lambda row: EmbeddingMap.objects.filter(dataset=row)),
)
