"""The exchange between processes that train together: torch's own communication hooks, by their names in recipes.

Bytes sent are those that a process passes to its all-reduce calls, which a ring of p processes sends 2 (p - 1) / p
times. They don't include batch norm's statistics, sent by the first process in every step, and a few loss numbers.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, cast

import torch
from torch import Tensor, distributed
from torch.distributed.algorithms.ddp_comm_hooks import default_hooks, post_localSGD_hook, powerSGD_hook
from torch.distributed.algorithms.model_averaging.averagers import PeriodicModelAverager
from torch.distributed.algorithms.model_averaging.utils import average_parameters
from torch.nn.parallel import DistributedDataParallel

from training.config import Recipe
from training.network import Network

FLOAT32, HALF = 4, 2
"""Bytes per number."""
EXCHANGE = "exchange"
"""Prefix of an exchange's tensors in a recovery file."""


class Exchange:
    """The exchange of a single process, which sends nothing, and the base of the others."""

    keeps: ClassVar[bool] = False
    """Whether each process has its own state between steps, which it needs to resume after a kill."""
    keeps_weights: ClassVar[bool] = False
    """Whether weights and moments are part of that state."""

    def __init__(self, network: Network, recipe: Recipe, steps: int) -> None:
        self.network, self.recipe = network, recipe
        self.weights = [weight for weight in network.parameters() if weight.requires_grad]
        self.numbers = sum(weight.numel() for weight in self.weights)
        self.start = recipe.exchange_start or max(2, steps // 10)
        self.sent = 0
        """Bytes sent so far."""

    def hook(self, forward: Any) -> None:
        """Register this exchange of gradients with a DistributedDataParallel."""

    def stepped(self) -> None:
        """Called after each step of the optimiser."""

    def agree(self) -> None:
        """Give all processes the same weights, before these are evaluated or kept."""

    def tensors(self) -> dict[str, Tensor]:
        """This process's own state, for a recovery file."""
        return {}

    def restore(self, tensors: Mapping[str, Tensor], *, step: int, sent: int) -> None:  # noqa: ARG002 - it keeps none
        """Restore the state of `tensors`, taken after `step` steps."""
        self.sent = sent


class Float32(Exchange):
    """DistributedDataParallel itself averages the gradients of all processes in every step, in float32."""

    def stepped(self) -> None:
        self.sent += FLOAT32 * self.numbers


class Compressed(Exchange):
    """Gradients are sent as float16 or bfloat16 numbers."""

    def hook(self, forward: Any) -> None:
        hook = default_hooks.fp16_compress_hook if self.recipe.exchange == "float16" else _bfloat16
        forward.register_comm_hook(distributed.group.WORLD, hook)

    def stepped(self) -> None:
        self.sent += HALF * self.numbers


class PowerSgd(Exchange):
    """Sends each gradient as a product of two narrow matrices and adds the error to the next gradient (Vogels,
    Karimireddy and Jaggi 2019, arXiv:1905.13727); in the first steps sends whole gradients."""

    keeps = True
    _KEPT = ("error_dict", "p_memory_dict", "q_memory_dict")

    def hook(self, forward: Any) -> None:
        self._state = self._begun()
        forward.register_comm_hook(self._state, powerSGD_hook.powerSGD_hook)
        # After its first step DDP reorders gradients as they arrived. The kept state is in that order, so take that
        # step here, on one black image, and discard its effects.
        self.network.eval()
        black = torch.zeros(1, *self.network.family.input_size, device=self.network.device)
        torch.autograd.backward(forward(black)[0].float().sum())
        self.network.zero_grad()
        self._state.iter = 0

    def stepped(self) -> None:
        compressed, self._state.total_numel_after_compression = self._state.total_numel_after_compression, 0
        self.sent += FLOAT32 * (compressed or self.numbers)

    def tensors(self) -> dict[str, Tensor]:
        kept = ((name, getattr(self._state, name)) for name in self._KEPT)
        return {f"{EXCHANGE}/{name}/{bucket}": value for name, held in kept for bucket, value in held.items()}

    def restore(self, tensors: Mapping[str, Tensor], *, step: int, sent: int) -> None:
        super().restore(tensors, step=step, sent=sent)
        self._state.iter = step
        for path, value in tensors.items():
            _, name, bucket = path.split("/")
            # Copied, so that it has torch's own memory layout: other layouts use kernels with other last bits.
            getattr(self._state, name)[int(bucket)] = value.to(self.network.device, copy=True)

    def _begun(self) -> powerSGD_hook.PowerSGDState:
        return powerSGD_hook.PowerSGDState(
            None,
            matrix_approximation_rank=self.recipe.exchange_rank,
            start_powerSGD_iter=self.start,
            random_seed=self.recipe.seed,
            orthogonalization_epsilon=1e-8,  # a layer whose gradients are all zero must not become NaN
        )


class PostLocalSgd(Exchange):
    """After the first steps each process trains on its own, and their weights are averaged at regular intervals (Lin et
    al. 2018, arXiv:1808.07217)."""

    keeps = keeps_weights = True

    def hook(self, forward: Any) -> None:
        self._state = post_localSGD_hook.PostLocalSGDState(  # type: ignore[no-untyped-call]
            None, None, start_localSGD_iter=self.start, post_local_gradient_allreduce=False
        )
        self._averager = PeriodicModelAverager(self.recipe.exchange_period, warmup_steps=self.start)
        forward.register_comm_hook(self._state, post_localSGD_hook.post_localSGD_hook)

    def stepped(self) -> None:
        self.sent += FLOAT32 * self.numbers * (self._averager.step < self.start)
        self._averaged(lambda: self._averager.average_parameters(self.weights))

    def agree(self) -> None:
        if self._averager.step > self.start:
            everybody = cast(distributed.ProcessGroup, distributed.group.WORLD)
            self._averaged(lambda: average_parameters(iter(self.weights), everybody))

    def restore(self, tensors: Mapping[str, Tensor], *, step: int, sent: int) -> None:
        super().restore(tensors, step=step, sent=sent)
        self._state.iter = self._averager.step = step

    def _averaged(self, averaging: Any) -> None:
        """Average the weights in their own memory and layout, which torch would replace."""
        held = [weight.data for weight in self.weights]
        averaging()
        if self.weights[0].data.data_ptr() == held[0].data_ptr():
            return
        self.sent += FLOAT32 * self.numbers
        for weight, own in zip(self.weights, held, strict=True):
            weight.data = own.copy_(weight.data)


def _bfloat16(
    group: distributed.ProcessGroup,
    bucket: distributed.GradBucket,  # type: ignore[name-defined]  # DDP checks this annotation
) -> torch.futures.Future[Tensor]:
    """Wrap torch's hook under another name: by its name DDP would require NCCL, but gloo can add bfloat16 too."""
    return default_hooks.bf16_compress_hook(group, bucket)


_KINDS: dict[str, type[Exchange]] = {
    "float32": Float32,
    "float16": Compressed,
    "bfloat16": Compressed,
    "powersgd": PowerSgd,
    "post_local_sgd": PostLocalSgd,
}


def exchange_of(network: Network, recipe: Recipe, *, steps: int, forward: Any) -> Exchange:
    """The recipe's exchange, registered with `forward` if a DistributedDataParallel; else one without traffic."""
    if not isinstance(forward, DistributedDataParallel):
        return Exchange(network, recipe, steps)
    exchange = _KINDS[recipe.exchange](network, recipe, steps)
    exchange.hook(forward)
    return exchange
