"""The training loop: setup, fit, evaluate. Bit-reproducible on CPU for one seed and one number of threads."""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from tasktypes import TaskType, task_type
from tasktypes.model_parts import Objective
from training.checkpointing import Checkpointer, CheckpointPlan
from training.config import Recipe
from training.curve import Clock, is_point
from training.data import Batch, DataError, Features, Held, Images, Source, as_input
from training.exchange import Exchange, exchange_of
from training.hardware import Hardware, choose, deterministic
from training.mixing import mix
from training.network import Network
from training.optimiser import rate_at, set_rate
from training.recovery import Content
from training.scores import Score, evaluation_interval
from training.sharding import sharded, whole
from training.state import State, own_tensors
from training.together import Together
from worker_programs.config import ConfigError
from worker_programs.events import Listener, Silent

__all__ = ["Fitted", "deterministic", "fit", "predict"]

BLOCK, BLOCK_NUMBERS = 256, 1 << 24
"""The most images, and the most pixel values, in a forward pass without gradients."""
ASKED_EVERY = 10
"""Steps between checks whether a recovery file is due, where all processes have to take part in the check."""


@dataclass(frozen=True, slots=True)
class Fitted:
    """The figures of a finished training; the network's weights are trained in place."""

    steps: int
    """Steps taken: fewer than the recipe's if it stopped early."""
    seconds: float
    images_per_second: float
    loss: float
    """Mean loss over the last tenth of the steps."""
    train_accuracy: float
    best_step: int | None
    """The step of the best evaluation; with `patience` the final weights are from it."""
    scores: list[list[float]]
    """Every evaluation: step, headline, loss."""
    device: str
    precision: str
    compiled: bool
    sent_bytes: int
    """Bytes that each of several processes passed to its all-reduce calls: gradients or weights."""


@dataclass(frozen=True, slots=True)
class Setup:
    """Everything that does not change while a network trains."""

    recipe: Recipe
    steps: int
    hardware: Hardware
    forward: Any
    """Maps pixels to (logits, embedding); perhaps compiled."""
    task: TaskType
    objective: Objective
    held_out: Source | None
    every: int
    """Steps between evaluations."""
    group: Together
    exchange: Exchange


def fit(
    network: Network,
    source: Source,
    recipe: Recipe,
    *,
    threads: int = 1,
    listener: Listener | None = None,
    held_out: Held | None = None,
    keep: CheckpointPlan | None = None,
    group: Together = Together(),  # noqa: B008 - frozen
) -> Fitted:
    """Train `network` on `source` by `recipe`; its final weights are the averaged ones if the recipe has an EMA, and
    the best ones on `held_out` if it has a patience. With `keep` it writes files, and can be resumed from them. If
    several processes train together, the weights of the first one count, and only it writes files.

    Raises DataError, ConfigError (a patience without `held_out`, a missing GPU), RecoveryError.
    """
    if not len(source.labels):
        raise DataError("there are no labelled samples")
    if recipe.patience is not None and held_out is None:
        raise ConfigError({"recipe.patience": ["needs a validation set: give one, or leave patience out"]})
    steps, listener = recipe.total_steps(len(source.labels)), listener or Silent()
    hardware = choose(recipe, frozen=network.family.frozen, steps=steps)
    with deterministic(threads, device=hardware.device.type):
        torch.manual_seed(recipe.seed)  # dropout
        divided = recipe.sharded and group.world > 1
        trained = sharded(network, hardware.device, world=group.world) if divided else network.to(hardware.device)
        source, held = _seen(network, source), _seen(network, held_out) if held_out else None
        setup = _setup(trained, source, recipe, hardware=hardware, held_out=held, group=group)
        state = State.new(trained, recipe, steps=steps)
        checkpointer = Checkpointer(keep, recipe, listener) if keep and group.first else None
        spent = _resume(setup, state, checkpointer, listener.log) if keep else 0.0
        clock = Clock(spent=spent, step=state.step, steps=steps)
        try:
            _train(setup, state, source, clock=clock, listener=listener, checkpointer=checkpointer)
        finally:
            if checkpointer:
                checkpointer.end()
        if divided:
            network.load_state_dict(whole(trained.state_dict()))
        network.to("cpu")
    return _fitted(state, setup, clock)


def predict(network: Network, pixels: NDArray[np.uint8]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Logits (N, K) and embeddings (N, D) of decoded images (N, H, W, C), in evaluation mode and full precision."""
    network.eval()
    with torch.inference_mode():
        made = [network(block) for block in _blocks(network, pixels)]
    logits, embeddings = zip(*made, strict=True)
    return torch.cat(logits).cpu().numpy(), torch.cat(embeddings).cpu().numpy()


def _blocks(network: Network, pixels: NDArray[np.uint8]) -> Iterator[Tensor]:
    size = max(1, min(BLOCK, BLOCK_NUMBERS // math.prod(network.family.input_size)))
    for at in range(0, len(pixels), size):
        yield as_input(pixels[at : at + size]).to(network.device)


def _seen(network: Network, source: Source) -> Source:
    """Replace images by their features if the trunk is frozen: it runs once per image, and only the head is trained."""
    if network.family.frozen and isinstance(source, Images):
        network.eval()
        with torch.inference_mode():
            made = [network.features(block) for block in _blocks(network, source.pixels)]
        return Features(torch.cat(made).cpu().numpy(), source.labels, source.task)
    return source


def _setup(
    network: Network, source: Source, recipe: Recipe, *, hardware: Hardware, held_out: Source | None, group: Together
) -> Setup:
    samples, task = len(source.labels), task_type(source.task)
    objective = task.learning.objective(
        source.labels,
        classes=network.classes,
        smoothing=recipe.label_smoothing,
        balanced=recipe.balance == "loss",
        device=hardware.device,
    )
    steps, forward = recipe.total_steps(samples), group.forward(hardware.forward(network), hardware.device)
    return Setup(
        recipe=recipe,
        steps=steps,
        hardware=hardware,
        forward=forward,
        task=task,
        objective=objective,
        held_out=held_out,
        every=evaluation_interval(recipe, samples=samples, held_out=len(held_out.labels)) if held_out else 0,
        group=group,
        exchange=exchange_of(network, recipe, steps=steps, forward=forward),
    )


def _resume(setup: Setup, state: State, checkpointer: Checkpointer | None, log: Callable[[str], None]) -> float:
    """Restore `state` from the newest recovery file, which the first process sends to the others, and return the
    seconds trained so far. Raises RecoveryError."""
    group = setup.group
    content = group.told(checkpointer.newest() if checkpointer else None)
    if content is not None:
        rank = group.rank if content.facts["processes"] in {0, group.world} else None
        if rank is None:
            log(f"there are {group.world} processes now: what each of the others kept of its own is dropped")
        state.restore(content, rank=rank)
        setup.exchange.restore(own_tensors(content, rank), step=state.step, sent=content.facts["sent"])
    if checkpointer:
        checkpointer.begin(state)
    return float(content.facts["seconds"]) if content else 0.0


def _train(
    setup: Setup, state: State, source: Source, *, clock: Clock, listener: Listener, checkpointer: Checkpointer | None
) -> None:
    """Train from `state` to the last step, or until the patience is exhausted; then settle the weights."""
    recipe, batches = setup.recipe, source.batches(setup.recipe, start=state.step)
    state.network.train()
    while state.step < setup.steps and not state.scores.exhausted(recipe.patience):
        batch = next(batches)
        _step(setup, state, batch)
        clock.count(len(batch.labels))
        with clock.paused():
            score = _evaluate(setup, state)
            if score in state.scores.best(recipe.keep_best):
                _keep_best(setup, state, checkpointer)
            if score or is_point(state.step, setup.steps):
                _tell(setup, state, score, clock=clock, listener=listener, checkpointer=checkpointer)
            _keep(setup, state, seconds=clock.seconds, checkpointer=checkpointer)
    setup.exchange.agree()
    state.settle()


def _keep_best(setup: Setup, state: State, checkpointer: Checkpointer | None) -> None:
    """Keep the weights that were evaluated last, which are among the best."""
    weights = whole(state.evaluated_network.state_dict(), wanted=setup.group.first)
    if checkpointer:
        checkpointer.best(state, weights, setup.task.metrics.headline)


def _keep(setup: Setup, state: State, *, seconds: float, checkpointer: Checkpointer | None) -> None:
    """Write a recovery file if one is due."""
    group, exchange = setup.group, setup.exchange
    asks = exchange.keeps or setup.recipe.sharded
    if asks and setup.recipe.recover_every is None and state.step % ASKED_EVERY:
        return
    due = checkpointer is not None and checkpointer.recovery_is_due(state.step)
    processes: list[dict[str, Tensor]] = []
    if asks:
        due = group.told(due)
    if exchange.keeps and due:
        own = exchange.tensors() | (state.weights_and_moments() if exchange.keeps_weights else {})
        processes = group.gathered({name: value.detach().cpu() for name, value in own.items()})
    if due:
        content = state.content(seconds=seconds, sent=exchange.sent, processes=processes)
        tensors = whole(content.tensors, wanted=group.first)
        if checkpointer:
            checkpointer.recovery(state, Content(tensors, content.facts))


def _step(setup: Setup, state: State, batch: Batch) -> None:
    """Take one step of the optimiser; its loss is recorded without waiting for its value."""
    state.step += 1
    set_rate(state.optimiser, rate_at(state.step, setup.steps, setup.recipe))
    group, whole = setup.group, len(batch.labels)
    group.seed(setup.recipe, state.step)
    inputs, labels = map(group.share, _tensors(batch, setup.hardware.device))
    forward = setup.forward if batch.features is None else state.network.answered
    parts = -(-len(labels) // (setup.recipe.micro_batch or len(labels)))  # of equal size, but for one image
    state.optimiser.zero_grad()
    made = []
    for part, (some, labelled) in enumerate(zip(inputs.tensor_split(parts), labels.tensor_split(parts), strict=True)):
        with group.quiet(forward, last=part == parts - 1):
            loss, right = _loss(setup, forward, some, labelled, step=state.step, part=part + parts * group.rank)
            loss = loss * (len(labelled) / whole)
            torch.autograd.backward(loss * group.world)  # the processes average their gradients
        made.append((loss.detach(), right))
    state.optimiser.step()
    setup.exchange.stepped()
    if state.average is not None:
        state.average.update_parameters(state.network)
    losses, rights = zip(*made, strict=True)
    state.tail.add(group.summed(torch.stack(losses).sum()), group.summed(torch.stack(rights).sum()), whole)


def _loss(setup: Setup, forward: Any, inputs: Tensor, labels: Tensor, *, step: int, part: int) -> tuple[Tensor, Tensor]:
    """The mean loss of a part of a batch, and how many of its images are right."""
    mixed = mix(inputs, setup.recipe, step=step, part=part)
    with setup.hardware.autocast():
        logits = forward(inputs if mixed is None else mixed.inputs)[0]
    logits = logits.float()
    return setup.objective.loss(logits, labels, mixed), setup.objective.right(logits, labels, mixed)


def _tensors(batch: Batch, device: torch.device) -> tuple[Tensor, Tensor]:
    """Inputs, pixels (B, C, H, W) or features (B, D), and targets (B, ..)."""
    labels = torch.from_numpy(batch.labels).to(device)
    if batch.features is not None:
        return torch.from_numpy(batch.features).to(device), labels
    assert batch.pixels is not None  # noqa: S101 - a batch has either
    return as_input(batch.pixels).to(device), labels


def _evaluate(setup: Setup, state: State) -> Score | None:
    """Evaluate the weights on the validation set if it is due; keep the best ones for `patience`."""
    held, last = setup.held_out, state.step == setup.steps
    if held is None or not (state.step % setup.every == 0 or last):
        return None
    setup.exchange.agree()
    judged: list[float] = []
    if setup.group.first or setup.recipe.sharded:  # all processes of a divided network have to take part
        judged += setup.task.learning.score(logits_of(state.evaluated_network, held), held.labels)
    score = Score(state.step, *setup.group.told(judged))
    if state.scores.add(score) and setup.recipe.patience is not None:
        state.best = {name: value.clone() for name, value in state.evaluated_network.state_dict().items()}
    state.network.train()
    return score


def logits_of(network: Network, held: Source) -> Tensor:
    """Logits (N, K), on the CPU, of images or features in memory."""
    if isinstance(held, Images):
        return torch.from_numpy(predict(network, held.pixels)[0])
    assert isinstance(held, Features)  # noqa: S101 - what `_seen` makes of images
    network.eval()
    with torch.inference_mode():
        blocks = (held.features[at : at + BLOCK] for at in range(0, len(held.features), BLOCK))
        return torch.cat([network.answered(torch.from_numpy(block).to(network.device))[0].cpu() for block in blocks])


def _tell(
    setup: Setup,
    state: State,
    score: Score | None,
    *,
    clock: Clock,
    listener: Listener,
    checkpointer: Checkpointer | None,
) -> None:
    """Report a point of the curve, with the evaluation if there was one."""
    rate = rate_at(state.step, setup.steps, setup.recipe)
    values = {
        **state.tail.values(),
        "lr": rate,
        **clock.values(state.step),
        **(score.values(setup.task.metrics.headline) if score else {}),
    }
    state.points.append((state.step, values))
    listener.point(state.step, values)
    if checkpointer:
        checkpointer.point(state.step, values)
    total = state.step if state.scores.exhausted(setup.recipe.patience) else setup.steps
    listener.progress(state.step, total, unit="steps")


def _fitted(state: State, setup: Setup, clock: Clock) -> Fitted:
    best, hardware = state.scores.best(1), setup.hardware
    return Fitted(
        steps=state.step,
        seconds=clock.seconds,
        images_per_second=clock.values(state.step)["images_per_second"],
        **state.tail.values(),
        best_step=best[0].step if best else None,
        scores=[list(score) for score in state.scores.scores],
        device=hardware.device.type,
        precision=hardware.precision,
        compiled=hardware.compiled,
        sent_bytes=setup.exchange.sent,
    )
