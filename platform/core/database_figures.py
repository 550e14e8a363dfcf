"""Metrics of PostgreSQL as its sessions show them: who waits for a lock, and what takes long."""

from collections.abc import Iterator

from django.db import connection
from prometheus_client.core import GaugeMetricFamily

SESSIONS = """
SELECT count(*) FILTER (WHERE state = 'active' AND wait_event_type IS DISTINCT FROM 'Lock'),
       count(*) FILTER (WHERE wait_event_type = 'Lock'),
       count(*) FILTER (WHERE state LIKE 'idle in transaction%'),
       count(*) FILTER (WHERE state = 'idle'),
       max(extract(epoch FROM clock_timestamp() - query_start)) FILTER (WHERE wait_event_type = 'Lock'),
       max(extract(epoch FROM clock_timestamp() - query_start)) FILTER (WHERE state = 'active'),
       max(extract(epoch FROM clock_timestamp() - xact_start))
FROM pg_stat_activity
WHERE datname = current_database() AND backend_type = 'client backend' AND pid <> pg_backend_pid()
"""
STATES = ("active", "waiting_for_lock", "idle_in_transaction", "idle")
LONGEST = ("lock_wait", "statement", "transaction")


def figures() -> Iterator[GaugeMetricFamily]:
    """Yield the metrics of the database's sessions, in one query; none for SQLite, which has no sessions."""
    if connection.vendor != "postgresql":
        return
    with connection.cursor() as cursor:
        cursor.execute(SESSIONS)
        row = cursor.fetchone()
    sessions = GaugeMetricFamily(
        "motherlode_database_sessions", "Sessions of the platform's database, by state.", labels=["state"]
    )
    for state, number in zip(STATES, row, strict=False):
        sessions.add_metric([state], number)
    yield sessions
    words = "Age of the oldest lock wait, statement and transaction under way; 0 where there is none."
    longest = GaugeMetricFamily("motherlode_database_longest_seconds", words, labels=["what"])
    for what, seconds in zip(LONGEST, row[len(STATES) :], strict=True):
        longest.add_metric([what], float(seconds or 0.0))
    yield longest
