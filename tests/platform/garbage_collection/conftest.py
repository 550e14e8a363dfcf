"""A dataset to refer to blobs."""

import pytest

from accounts.models import User
from catalog.models import Dataset
from catalog.versions.datasets import create_dataset


@pytest.fixture
def dataset(alice: User) -> Dataset:
    """An empty dataset."""
    return create_dataset("frames", task="classification", classes=["cat", "dog"], description="", author=alice)
