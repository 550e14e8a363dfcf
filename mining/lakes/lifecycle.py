"""What in lakes depends on datasets and models."""

from jobs.lifecycle.kinds import Fate, Part, register
from jobs.models import Job
from lakes.models import LakePart, LakeScan
from lakes.parts import ADD, FILL

OPEN = LakeScan.objects.filter(job__state__in=Job.OPEN)
ADDING = Job.objects.filter(kind__in=[ADD, FILL], state__in=Job.OPEN)

register(
    "dataset",
    Part("lake scans", Fate.BUSY, lambda row: OPEN.filter(dataset=row)),
    Part("parts on their way into the lake", Fate.BUSY, lambda row: ADDING.filter(params__dataset=row.pk)),
    Part("parts of the lake", Fate.GOES, lambda row: LakePart.objects.filter(dataset=row)),
    Part("lake scans done", Fate.STAYS, lambda row: LakeScan.objects.filter(dataset=row)),
)
register(
    "model",
    Part("lake scans", Fate.BUSY, lambda row: OPEN.filter(model_version__model=row)),
    Part("lake scans done", Fate.STAYS, lambda row: LakeScan.objects.filter(model_version__model=row)),
)
