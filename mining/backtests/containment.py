"""Which back-tests scored a sample."""

from django.db.models import Q

from mining_jobs.containment import register_scoring

register_scoring(lambda versions: Q(backtest__version__in=versions))
