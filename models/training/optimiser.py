"""The optimiser, its learning rate over time, and the moving average of the weights."""

import math

import torch
from torch.optim.swa_utils import AveragedModel

from training.config import Recipe
from training.network import Network

Tensors = tuple[torch.Tensor, ...] | list[torch.Tensor]


def optimiser_for(network: Network, recipe: Recipe) -> torch.optim.Optimizer:
    """AdamW or SGD; weight decay on matrices and kernels, not on biases and norms."""
    trained = [parameter for parameter in network.parameters() if parameter.requires_grad]
    groups = [
        {"params": [p for p in trained if p.ndim > 1], "weight_decay": recipe.weight_decay},
        {"params": [p for p in trained if p.ndim <= 1], "weight_decay": 0.0},
    ]
    if recipe.optimiser == "sgd":
        facts = {"momentum": recipe.momentum, "nesterov": recipe.nesterov}
        return torch.optim.SGD(groups, lr=recipe.learning_rate, fused=True, **facts)  # type: ignore[arg-type]  # a float and a bool
    return torch.optim.AdamW(groups, lr=recipe.learning_rate, fused=True)


def set_rate(optimiser: torch.optim.Optimizer, rate: float) -> None:
    """Go on at this learning rate."""
    for group in optimiser.param_groups:
        group["lr"] = rate


def rate_at(step: int, steps: int, recipe: Recipe) -> float:
    """The learning rate of `step` (from 1): linear warm-up, then a cosine to zero."""
    done, rising = step - 1, max(1, round(steps * recipe.warmup))
    if done < rising:
        return recipe.learning_rate * (done + 1) / rising
    return recipe.learning_rate * 0.5 * (1 + math.cos(math.pi * (done - rising) / max(1, steps - rising)))


def average_of(network: Network, decay: float) -> AveragedModel | None:
    """The exponential moving average of weights and buffers, where a decay is asked for.

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
