"""One trained checkpoint, which exports only read."""

from pathlib import Path

import pytest
from tests.models.conftest import short_training

from training import TrainingConfig, train
from worker_programs.config import parse


@pytest.fixture(scope="session")
def checkpoint(tmp_path_factory) -> Path:
    """Of the training that `training_config` describes in each test's own folder."""
    config = short_training(tmp_path_factory.mktemp("trained"))
    train(parse(TrainingConfig, config))
    return Path(config["out_dir"])
