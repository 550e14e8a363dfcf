"""Long work as rows: jobs, shards, leases, progress. Celery only wakes a worker up."""
