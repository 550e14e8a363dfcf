"""What only a GPU can show: `make bench-gpu` runs these. Elsewhere they are skipped, and say so."""

from pathlib import Path

import numpy as np
import pytest
import torch

from training import TrainingConfig, load_checkpoint, train
from training.data import as_input
from worker_programs.config import parse

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(not torch.cuda.is_available(), reason="no NVIDIA GPU here: nothing was proved on one"),
]


def test_what_a_gpu_trained_is_read_and_run_on_a_cpu(training_config):
    training_config["recipe"]["device"] = "cuda"
    assert train(parse(TrainingConfig, training_config))["validation"]["accuracy"] == 1.0
    network = load_checkpoint(Path(training_config["out_dir"])).network
    pixels = as_input(np.random.default_rng(0).integers(0, 256, (8, 28, 28, 1), dtype=np.uint8))
    with torch.inference_mode():
        here, _ = network(pixels)
        there, _ = network.to("cuda")(pixels.to("cuda"))
    assert torch.allclose(here, there.cpu(), atol=1e-2)


def test_bfloat16_on_a_gpu_learns_as_well(training_config):
    training_config["recipe"] |= {"device": "cuda", "precision": "bfloat16"}
    assert train(parse(TrainingConfig, training_config))["validation"]["accuracy"] == 1.0
