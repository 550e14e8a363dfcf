"""What of mining depends on datasets and models."""

from jobs.lifecycle.kinds import Fate, Part, register
from jobs.models import Job
from mining_jobs.models import MiningJob, Pick

OPEN = MiningJob.objects.filter(job__state__in=Job.OPEN)

register(
    "model",
    Part("mining jobs", Fate.BUSY, lambda row: OPEN.filter(model_version__model=row)),
    Part("mining jobs done", Fate.STAYS, lambda row: MiningJob.objects.filter(model_version__model=row)),
)
register(
    "dataset",
    Part("mining jobs", Fate.BUSY, lambda row: OPEN.filter(dataset=row)),
    Part("mining jobs done", Fate.STAYS, lambda row: MiningJob.objects.filter(dataset=row)),
    Part("picks", Fate.GOES, lambda row: Pick.objects.filter(mining_job__dataset=row)),
)
