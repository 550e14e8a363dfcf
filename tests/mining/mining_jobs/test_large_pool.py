"""A large pool: pages and memory that do not grow with it. Small here; `bench.mining.pool` has a million rows."""

import tracemalloc

import pytest
from bench.mining.generated import generate
from django.db import connection
from django.test.utils import CaptureQueriesContext

from acquisition.columns import read_pool
from mining_jobs.models import MiningJob
from mining_jobs.picks import pools
from mining_jobs.services import MiningSpec, start_mining

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.production]
SMALL, LARGE, DIMENSIONS, COUNT = 600, 6000, 256, 200
COMPOSE = {
    "quotas": [{"class": "class-3", "min_share": 0.2}, {"class": "class-0", "max_share": 0.1}],
    "gap": {"seconds": 2, "group": "drive", "time": "t"},
    "objectives": [{"name": "uncertainty", "strength": 0.5}],
}


@pytest.fixture
def mined(object_store, alice, run_job):
    """Mine a generated pool of so many samples; the job."""

    def mine(size: int, **spec) -> MiningJob:
        version, model = generate(size, author=alice, dimensions=DIMENSIONS, name=f"pool-{size}")
        made = start_mining(version, model, MiningSpec("margin", COUNT, **spec), author=alice)
        job = run_job(made.job)
        assert job.state == "succeeded", job.error
        return MiningJob.objects.get(pk=made.pk)

    return mine


def cost(api, address) -> tuple[int, int]:
    """Queries of a page, and the most memory it took, in bytes."""
    api.get(address)  # what is loaded once is loaded now
    tracemalloc.start()
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert api.get(address).status_code == 200
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return len(queries), most


@pytest.mark.clock
def test_pages_cost_the_same_whatever_the_size_of_the_pool(api, mined):
    small, large = mined(SMALL, compose=COMPOSE), mined(LARGE, compose=COMPOSE)
    assert large.stats["pool"] == LARGE - LARGE // 1000
    assert large.stats["scored"] == 0
    assert large.stats["unmet"] == []
    for page in ("picks?limit=20", "picks/7", "histogram"):
        queries, memory = cost(api, f"/mining/jobs/{small.pk}/{page}")
        more_queries, more_memory = cost(api, f"/mining/jobs/{large.pk}/{page}")
        assert more_queries == queries
        assert more_memory < 1.5 * memory + 100_000
    first = api.get(f"/mining/jobs/{large.pk}/picks?limit=150").json()
    second = api.get(first["next"]).json()
    assert [pick["rank"] for pick in first["results"] + second["results"]] == list(range(1, COUNT + 1))


def test_a_pool_is_written_in_blocks(mined, tmp_path, monkeypatch):
    job = mined(LARGE)
    monkeypatch.setattr(pools, "AT_ONCE", 500)
    tracemalloc.start()
    pools.write_pool(job, tmp_path / "pool", lambda: None)
    _, most = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    columns = LARGE * DIMENSIONS * 4
    assert most < columns / 2 + 16 * LARGE, "and a few bytes for each, to tell copies"
    assert sum(file.stat().st_size for file in (tmp_path / "pool").iterdir()) > columns
    pool = read_pool(tmp_path / "pool")
    assert (len(pool), pool.embeddings is not None and pool.embeddings.shape) == (LARGE - 6, (LARGE - 6, DIMENSIONS))
