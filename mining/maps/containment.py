"""Which maps and leak checks scored a sample."""

from django.db.models import Q

from maps.leak_checks import KIND
from mining_jobs.containment import register_scoring

register_scoring(lambda versions: Q(embedding_map__version__in=versions))
register_scoring(lambda versions: Q(kind=KIND, params__version__in=versions))
