"""A model with versions whose figures a test states."""

import pytest
from tests.mining.rounds.conftest import run_job, truth  # noqa: F401 - fixtures: real digits, and jobs run to their end

from catalog.models import Dataset
from catalog.services import create_dataset
from registry.models import Model, ModelVersion
from registry.services import create_model


@pytest.fixture
def model(alice) -> Model:
    return create_model("digits-cnn", task="classification", classes=["0", "1"], description="", author=alice)


@pytest.fixture
def dataset(alice) -> Dataset:
    return create_dataset("digits", task="classification", classes=["0", "1"], description="", author=alice)


@pytest.fixture
def version_with(model, alice):
    """Make a version with the given accuracy, proven unless said otherwise."""

    def make(accuracy: float | None, *, ready: bool = True) -> ModelVersion:
        number = model.versions.count() + 1
        problems = [] if ready else ["Bernoulli is not a TensorRT operator"]
        parity = {"passed": True, "samples": 9, "max_abs_error": 1e-6, "top1_agreement": 1.0}
        checks = [{"name": "operators", "passed": ready, "problems": problems}]
        return ModelVersion.objects.create(
            model=model,
            number=number,
            architecture="small_cnn",
            digest=f"{number:064x}",
            metrics={} if accuracy is None else {"accuracy": accuracy},
            report={"parity": parity, "checks": checks},
            created_by=alice,
        )

    return make
