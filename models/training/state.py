"""Everything that changes while a network trains: written to a recovery file, and restored from it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import torch
from torch import Tensor
from torch.optim.swa_utils import AveragedModel

from training.config import Recipe
from training.curve import Tail
from training.network import Network
from training.optimiser import average_of, optimiser_for
from training.recovery import Content
from training.scores import Score, Scores
from training.sharding import divided_like

NETWORK, AVERAGE, BEST, OPTIMISER, RANDOM, TAIL = "network", "average", "best", "optimiser", "random", "tail"
PROCESS = "process"


@dataclass(slots=True)
class State:
    """The state of a training between two steps."""

    network: Network
    optimiser: torch.optim.Optimizer
    average: AveragedModel | None
    tail: Tail
    step: int = 0
    scores: Scores = field(default_factory=Scores)
    points: list[tuple[int, dict[str, float]]] = field(default_factory=list)
    """The points of the curve so far: step and values."""
    best: dict[str, Tensor] = field(default_factory=dict)
    """The weights with the best score, if the run is to end with them."""

    @classmethod
    def new(cls, network: Network, recipe: Recipe, *, steps: int) -> "State":
        """The state before the first step."""
        return cls(network, optimiser_for(network, recipe), average_of(network, recipe.ema), Tail(max(1, steps // 10)))

    @property
    def evaluated_network(self) -> Network:
        """The network to evaluate: the averaged one if there is one."""
        return self.network if self.average is None else self.average.module  # type: ignore[return-value]  # its own copy

    @property
    def on_gpu(self) -> bool:
        """Whether the network trains on a GPU."""
        return self.network.device.type == "cuda"

    def settle(self) -> None:
        """Give the network the weights that the run ends with: the best, the averaged or the last."""
        if self.best or self.average is not None:
            self._load(self.best or self.evaluated_network.state_dict())

    def _load(self, weights: Mapping[str, Tensor]) -> None:
        own = self.network.state_dict()
        self.network.load_state_dict({name: divided_like(value, own[name]) for name, value in weights.items()})

    def weights_and_moments(self) -> dict[str, Tensor]:
        """The part of `content` that may differ between processes that train together."""
        tensors = _named(NETWORK, self.network.state_dict())
        for index, held in self.optimiser.state_dict()["state"].items():
            tensors |= _named(f"{OPTIMISER}/{index}", {key: value for key, value in held.items() if value is not None})
        return tensors

    def content(self, *, seconds: float, sent: int, processes: Sequence[Mapping[str, Tensor]]) -> Content:
        """The content of a recovery file: this state, the seconds trained and the bytes sent so far, and the own
        tensors of each of the processes that train together."""
        tensors = self.weights_and_moments() | _named(BEST, self.best)
        tensors |= _named(TAIL, self.tail.tensors()) | _named(RANDOM, {"cpu": torch.get_rng_state()})
        if self.on_gpu:
            tensors |= _named(RANDOM, {"cuda": torch.cuda.get_rng_state()})
        if self.average is not None:
            tensors |= _named(AVERAGE, self.average.state_dict())
        for rank, own in enumerate(processes):
            tensors |= _named(f"{PROCESS}-{rank}", own)
        facts = {
            "step": self.step,
            "seconds": seconds,
            "sent": sent,
            "points": self.points,
            "processes": len(processes),
        }
        return Content(tensors, facts | {"scores": [list(score) for score in self.scores.scores]})

    def restore(self, content: Content, *, rank: int | None) -> None:
        """Restore the state of a recovery file, with the own tensors of the process `rank`; None: of no process."""
        tensors = {**content.tensors, **own_tensors(content, rank)}
        self.step = content.facts["step"]
        self.scores.scores = [Score(*score) for score in content.facts["scores"]]
        self.points = [(step, values) for step, values in content.facts["points"]]
        self._load(_under(NETWORK, tensors))
        self.tail.restore(_under(TAIL, content.tensors), device=self.network.device)
        self.best = _under(BEST, content.tensors)
        if self.average is not None:
            self.average.load_state_dict(_under(AVERAGE, content.tensors))
        self._restore_optimiser(tensors)
        random = _under(RANDOM, content.tensors)
        if "cpu" in random:
            torch.set_rng_state(random["cpu"])
        if "cuda" in random and self.on_gpu:
            torch.cuda.set_rng_state(random["cuda"])

    def _restore_optimiser(self, tensors: Mapping[str, Tensor]) -> None:
        """Restore moments in the memory layout of their parameters, so that the same kernels give the same bits."""
        parameters = [parameter for group in self.optimiser.param_groups for parameter in group["params"]]
        state: dict[int, dict[str, Tensor]] = {}
        for name, value in _under(OPTIMISER, tensors).items():
            index, key = name.split("/")
            like = parameters[int(index)]
            laid_out = value.shape == like.shape and key != "step"
            own = torch.empty_like(like).copy_(divided_like(value, like)) if laid_out else value
            state.setdefault(int(index), {})[key] = own
        groups = self.optimiser.state_dict()["param_groups"]
        self.optimiser.load_state_dict({"state": state, "param_groups": groups})


def own_tensors(content: Content, rank: int | None) -> dict[str, Tensor]:
    """The own tensors of the process of this rank."""
    return _under(f"{PROCESS}-{rank}", content.tensors)


def _named(part: str, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {f"{part}/{name}": value for name, value in tensors.items()}


def _under(part: str, tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    return {name.removeprefix(f"{part}/"): value for name, value in tensors.items() if name.startswith(f"{part}/")}
