"""What processes that train together send each other is counted as it is sent."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
import torch
from torch import Tensor, distributed
from torch.nn.parallel import DistributedDataParallel

from training import Network, Recipe
from training.exchange import Exchange, exchange_of
from worker_programs.config import ConfigError, parse

START, STEPS, SIZE = 3, 9, (1, 12, 12)
CHANGES: dict[str, Any] = {"processes": 2, "exchange_start": START, "exchange_rank": 2, "exchange_period": 3}


@pytest.fixture(scope="module")
def group() -> Iterator[None]:
    """A group of this process alone: what it would send is the same."""
    store = distributed.HashStore()  # type: ignore[attr-defined]
    distributed.init_process_group("gloo", store=store, rank=0, world_size=1)
    yield
    distributed.destroy_process_group()


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The bytes of each tensor that is handed to an all-reduce."""
    found, real = list[int](), distributed.all_reduce

    def counted(tensor: Tensor, *told: Any, **more: Any) -> Any:
        found.append(tensor.numel() * tensor.element_size())
        return real(tensor, *told, **more)

    monkeypatch.setattr(distributed, "all_reduce", counted)
    return found


def steps(network: Network, exchange: Exchange, forward: Any, *, first: int, last: int) -> None:
    network.train()
    for step in range(first, last + 1):
        torch.manual_seed(step)
        loss = forward(torch.rand(4, *SIZE) * 255)[0].square().mean()
        network.zero_grad()
        loss.backward()
        with torch.no_grad():
            for weight in exchange.weights:
                assert weight.grad is not None
                weight.sub_(0.01 * weight.grad)
        exchange.stepped()


def exchanged(network: Network, name: str) -> tuple[Exchange, Any]:
    forward = DistributedDataParallel(network)
    return exchange_of(network, Recipe(exchange=name, **CHANGES), steps=STEPS, forward=forward), forward  # type: ignore[arg-type]


@pytest.mark.usefixtures("group")
@pytest.mark.parametrize("name", ["float16", "bfloat16", "powersgd", "post_local_sgd"])
def test_every_byte_that_goes_to_an_all_reduce_is_counted_and_no_other(
    small_network: Callable[[], Network], sent: list[int], name: str
) -> None:
    network = small_network()
    exchange, forward = exchanged(network, name)
    sent.clear()  # what DDP asks before it begins
    steps(network, exchange, forward, first=1, last=START)
    whole = START * 4 * exchange.numbers
    assert sum(sent) == exchange.sent == (whole // 2 if name.endswith("16") else whole)
    steps(network, exchange, forward, first=START + 1, last=STEPS)
    assert sum(sent) == exchange.sent < STEPS * 4 * exchange.numbers


@pytest.mark.usefixtures("group")
def test_powersgd_goes_on_from_what_it_kept_bit_by_bit(small_network: Callable[..., Network]) -> None:
    whole = small_network()
    exchange, forward = exchanged(whole, "powersgd")
    steps(whole, exchange, forward, first=1, last=5)
    kept = {name: value.clone() for name, value in exchange.tensors().items()}
    weights, sent = {name: value.clone() for name, value in whole.state_dict().items()}, exchange.sent
    steps(whole, exchange, forward, first=6, last=STEPS)
    for held, equal in ((kept, True), ({}, False)):
        resumed = small_network(1)
        again, forward = exchanged(resumed, "powersgd")
        resumed.load_state_dict(weights)
        again.restore(held, step=5, sent=sent)
        steps(resumed, again, forward, first=6, last=STEPS)
        assert again.sent == exchange.sent
        assert (
            all(torch.equal(value, whole.state_dict()[name]) for name, value in resumed.state_dict().items()) is equal
        )


@pytest.mark.parametrize(
    ("recipe", "field"),
    [
        ({"exchange": "powersgd"}, "exchange"),
        ({"exchange": "post_local_sgd", "processes": 2, "ema": 0.9}, "ema"),
        ({"exchange": "powersgd", "processes": 2, "exchange_start": 1}, "exchange_start"),
        ({"sharded": True}, "sharded"),
        ({"sharded": True, "processes": 2, "exchange": "float16"}, "exchange"),
        ({"sharded": True, "processes": 2, "ema": 0.9}, "ema"),
        ({"sharded": True, "processes": 2, "compile": "always"}, "compile"),
        ({"exchange": "powersgd", "processes": 2, "exchange_rank": 0}, "exchange_rank"),
        ({"exchange": "post_local_sgd", "processes": 2, "exchange_period": 1}, "exchange_period"),
    ],
)
def test_what_makes_no_sense_is_refused_by_its_field(recipe: dict[str, Any], field: str) -> None:
    with pytest.raises(ConfigError) as refused:
        parse(Recipe, recipe)
    assert [*refused.value.errors] == [field]
