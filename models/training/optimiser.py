"""The optimiser, its learning rate over time, and the moving average of the weights."""

import math
from typing import Any

import torch
from torch.optim.swa_utils import AveragedModel

from training.config import Recipe
from training.network import Network

Tensors = tuple[torch.Tensor, ...] | list[torch.Tensor]


def optimiser_for(network: Network, recipe: Recipe) -> torch.optim.Optimizer:
    """The recipe's optimiser, with weight decay on matrices and kernels, not on biases and norms."""
    trained = [parameter for parameter in network.parameters() if parameter.requires_grad]
    groups = [
        {"params": [p for p in trained if p.ndim > 1], "weight_decay": recipe.weight_decay},
        {"params": [p for p in trained if p.ndim <= 1], "weight_decay": 0.0},
    ]
    if recipe.optimiser == "sgd":
        facts = {"momentum": recipe.momentum, "nesterov": recipe.nesterov}
        fused = not recipe.sharded  # torch has no fused step for divided tensors
        return torch.optim.SGD(groups, lr=recipe.peak_rate, fused=fused, **facts)  # type: ignore[arg-type]  # a float and a bool
    if recipe.optimiser == "lars":
        return Lars(groups, lr=recipe.peak_rate, momentum=recipe.momentum)
    if recipe.optimiser == "lamb":
        return Lamb(groups, lr=recipe.peak_rate)
    return torch.optim.AdamW(groups, lr=recipe.peak_rate, fused=True)


class Lars(torch.optim.Optimizer):
    """SGD with momentum in which each tensor of more than one dimension has a rate of its own (You, Gitman and Ginsburg
    2017, arXiv:1708.03888): v = m v + lr r (g + d w) and w = w - v, with r = trust |w| / (|g| + d |w|), for biases and
    norms 1."""

    def __init__(self, groups: list[dict[str, Any]], *, lr: float, momentum: float, trust: float = 0.001) -> None:
        super().__init__(groups, {"lr": lr, "momentum": momentum, "trust": trust, "weight_decay": 0.0})

    @torch.no_grad()
    def step(self, closure: None = None) -> None:  # type: ignore[override]  # nobody asks for a loss anew
        """One step along the gradients."""
        assert closure is None  # noqa: S101 - as above
        for group in self.param_groups:
            decay, trust = group["weight_decay"], group["trust"]
            for weight in group["params"]:
                if weight.grad is None:
                    continue
                change = weight.grad.add(weight, alpha=decay)
                if weight.ndim > 1:
                    size, slope = torch.linalg.vector_norm(weight), torch.linalg.vector_norm(weight.grad)
                    change.mul_(_ratio(trust * size, slope + decay * size))
                held = self.state[weight]
                velocity = held.setdefault("momentum_buffer", torch.zeros_like(weight))
                velocity.mul_(group["momentum"]).add_(change, alpha=group["lr"])
                weight.sub_(velocity)


class Lamb(torch.optim.Optimizer):
    """Adam whose step in each tensor of more than one dimension is as long as its weights (You et al. 2020,
    arXiv:1904.00962): u = m' / (sqrt(v') + eps) + d w with Adam's corrected moments m' and v', and w = w - lr r u, with
    r = |w| / |u|, for biases and norms 1."""

    def __init__(
        self,
        groups: list[dict[str, Any]],
        *,
        lr: float,
        betas: tuple[float, float] = (0.9, 0.999),
        eps: float = 1e-6,
    ) -> None:
        super().__init__(groups, {"lr": lr, "betas": betas, "eps": eps, "weight_decay": 0.0})

    @torch.no_grad()
    def step(self, closure: None = None) -> None:  # type: ignore[override]  # nobody asks for a loss anew
        """One step along the gradients."""
        assert closure is None  # noqa: S101 - as above
        for group in self.param_groups:
            first, second = group["betas"]
            for weight in group["params"]:
                if weight.grad is None:
                    continue
                held = self.state[weight]
                if not held:
                    held.update(step=torch.zeros(()), exp_avg=torch.zeros_like(weight))
                    held["exp_avg_sq"] = torch.zeros_like(weight)
                held["step"] += 1
                done = float(held["step"])
                mean = held["exp_avg"].lerp_(weight.grad, 1 - first)
                square = held["exp_avg_sq"].mul_(second).addcmul_(weight.grad, weight.grad, value=1 - second)
                root = (square / (1 - second**done)).sqrt_().add_(group["eps"])
                change = (mean / (1 - first**done)).div_(root).add_(weight, alpha=group["weight_decay"])
                if weight.ndim > 1:
                    change.mul_(_ratio(torch.linalg.vector_norm(weight), torch.linalg.vector_norm(change)))
                weight.sub_(change, alpha=group["lr"])


def _ratio(over: torch.Tensor, under: torch.Tensor) -> torch.Tensor:
    """The quotient `over` / `under`; 1 where either is 0, so that a layer of zeros can start to train."""
    return torch.where((over > 0) & (under > 0), over / under, torch.ones_like(over))


def set_rate(optimiser: torch.optim.Optimizer, rate: float) -> None:
    """Set the learning rate."""
    for group in optimiser.param_groups:
        group["lr"] = rate


def rate_at(step: int, steps: int, recipe: Recipe) -> float:
    """The learning rate of `step` (from 1): linear warm-up, then a cosine to zero."""
    done, rising = step - 1, max(1, round(steps * recipe.warmup))
    if done < rising:
        return recipe.peak_rate * (done + 1) / rising
    return recipe.peak_rate * 0.5 * (1 + math.cos(math.pi * (done - rising) / max(1, steps - rising)))


def average_of(network: Network, decay: float) -> AveragedModel | None:
    """The exponential moving average of weights and buffers; None without a decay.

    The n-th step after the first keeps min(decay, (1 + n) / (10 + n)) of the average, as TensorFlow's
    `ExponentialMovingAverage` does with `num_updates`: at a fixed 0.999 the untrained weights would still be 40 % of it
    after 900 steps.
    """
    if not decay:
        return None

    @torch.no_grad()
    def rule(averages: Tensors, weights: Tensors, steps: torch.Tensor | int) -> None:
        done = int(steps)
        share = 1 - min(decay, (1 + done) / (10 + done))
        for average, weight in zip(averages, weights, strict=True):
            if average.is_floating_point():
                average.lerp_(weight, share)
            else:
                average.copy_(weight)

    return AveragedModel(network, multi_avg_fn=rule, use_buffers=True)
