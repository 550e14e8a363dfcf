"""Which jobs embedded a sample."""

from django.db.models import Q

from mining_jobs.containment import register_scoring
from similarity.embeddings import KIND

register_scoring(lambda versions: Q(kind=KIND, params__version__in=versions))
