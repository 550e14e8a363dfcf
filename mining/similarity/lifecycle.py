"""What in embeddings depends on datasets and models: the jobs that compute them."""

from jobs.lifecycle.kinds import Fate, Part, register
from jobs.models import Job
from similarity.embeddings import KIND

OPEN = Job.objects.filter(kind=KIND, state__in=Job.OPEN)

register("dataset", Part("jobs that compute embeddings", Fate.BUSY, lambda row: OPEN.filter(params__dataset=row.pk)))
register("model", Part("jobs that compute embeddings", Fate.BUSY, lambda row: OPEN.filter(params__model=row.pk)))
