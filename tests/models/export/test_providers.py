"""Which execution provider is taken."""

import pytest
from tests.linear_model import linear_model

from export.providers import CPU, CUDA, TENSORRT, providers
from export.runtime import Session


@pytest.mark.parametrize(
    ("offered", "gpu", "taken"),
    [
        ([TENSORRT, CUDA, CPU], True, [TENSORRT, CUDA, CPU]),
        ([CPU, CUDA], True, [CUDA, CPU]),
        ([TENSORRT, CUDA, CPU], False, [CPU]),
        (["AzureExecutionProvider", CPU], True, [CPU]),
    ],
)
def test_the_fastest_that_is_offered_and_has_its_gpu_comes_first(offered, gpu, taken):
    assert providers(offered, gpu=gpu) == taken


def test_a_session_says_what_runs_it_and_only_an_accelerated_one_leaves_the_cpu():
    data = linear_model().SerializeToString()
    assert Session(data).provider == CPU
    assert Session(data, accelerated=True).provider in providers()
