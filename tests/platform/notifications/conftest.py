"""Queues to be told of."""

from tests.datasets.conftest import blob_of, dataset
from tests.datasets.labeling.conftest import make_queue, pool

__all__ = ["blob_of", "dataset", "make_queue", "pool"]
