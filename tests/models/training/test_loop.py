"""What a recipe asks of the loop is what happens in it."""

import struct
from dataclasses import asdict
from typing import Any

import pytest
import safetensors.torch
import torch
from tensorboardX.proto.event_pb2 import Event

from training import DataError, Images, Recipe, TrainingConfig, architecture, fit, names, predict, train
from training.checkpointing import CheckpointPlan
from training.config import merged_recipe
from training.hardware import choose
from training.network import Network
from training.optimiser import optimiser_for, rate_at
from training.scores import Score, Scores, evaluation_interval
from training.tensorboard import FILE, FOLDER
from worker_programs.config import ConfigError, parse
from worker_programs.events import Silent

FAST: dict[str, Any] = {"steps": 12, "batch_size": 8, "precision": "float32"}


@pytest.fixture
def trained(small_images, small_network):
    """Trains on 30 images under changes to a fast recipe; gives the network and what the loop said."""

    def make(images: Images | None = None, **changes):
        network = small_network()
        return network, fit(network, images or small_images(30), Recipe(**(FAST | changes)))

    return make


def flat(network: Network) -> torch.Tensor:
    return torch.cat([value.flatten().float() for value in network.state_dict().values()])


@pytest.mark.parametrize("name", names())
def test_the_recipe_of_every_architecture_is_valid(name):
    family = architecture(name)
    assert parse(Recipe, asdict(family.recipe)) == family.recipe
    assert merged_recipe(family.recipe, {}, frozen=family.frozen) == family.recipe


@pytest.mark.parametrize(
    ("changes", "frozen", "field"),
    [
        ({"optimiser": "sgd", "momentum": 0}, False, "recipe.nesterov"),
        ({"cutmix": 1.0}, True, "recipe.cutmix"),
        ({"augment": 2}, True, "recipe.augment"),
        ({"crop": 0.5}, True, "recipe.crop"),
        ({"patience": 0}, False, "recipe.patience"),
        ({"balance": "weights"}, False, "recipe.balance"),
        ({"processes": 2}, True, "recipe.processes"),
        ({"processes": 5, "batch_size": 4}, False, "recipe.processes"),
        ({"processes": 0}, False, "recipe.processes"),
    ],
)
def test_nonsense_is_refused_by_its_field(changes, frozen, field):
    with pytest.raises(ConfigError) as caught:
        merged_recipe(Recipe(), changes, frozen=frozen)
    assert list(caught.value.errors) == [field]


def test_a_frozen_trunk_may_mix_its_features():
    assert merged_recipe(Recipe(), {"mixup": 0.2, "cutmix": 0}, frozen=True).mixup == 0.2


def test_sgd_steps_along_its_momentum(small_network):
    network, recipe = small_network(), Recipe(optimiser="sgd", momentum=0.5, nesterov=False, weight_decay=0)
    weight = network.head.weight
    before, optimiser = weight.detach().clone(), optimiser_for(network, recipe)
    for _ in range(2):
        for parameter in network.parameters():
            parameter.grad = torch.ones_like(parameter)
        optimiser.step()
    assert torch.allclose(before - weight, torch.full_like(weight, recipe.learning_rate * (1 + 1.5)), atol=1e-6)


def test_weight_decay_leaves_biases_and_norms_alone(small_network):
    network = small_network()
    decayed, plain = optimiser_for(network, Recipe(weight_decay=0.3)).param_groups
    assert (decayed["weight_decay"], plain["weight_decay"]) == (0.3, 0.0)
    assert all(parameter.ndim > 1 for parameter in decayed["params"])
    assert len(decayed["params"]) + len(plain["params"]) == len(list(network.parameters()))


def test_the_rate_rises_then_follows_a_cosine_to_zero():
    recipe = Recipe(learning_rate=0.1, warmup=0.2)
    rates = [rate_at(step, 20, recipe) for step in range(1, 21)]
    assert rates[:4] == pytest.approx([0.025, 0.05, 0.075, 0.1])
    assert rates[4:] == sorted(rates[4:], reverse=True)
    assert rates[12] == pytest.approx(0.05)
    assert 0 < rates[-1] < 0.002


@pytest.mark.parametrize(("optimiser", "rate"), [("adamw", 0.01), ("sgd", 0.01), ("lars", 5.0), ("lamb", 0.01)])
def test_every_optimiser_learns(trained, optimiser, rate):
    _, fitted = trained(optimiser=optimiser, steps=150, learning_rate=rate)
    assert fitted.train_accuracy > 0.9


def stepped(recipe: Recipe, gradients: list[torch.Tensor], weight: torch.Tensor) -> torch.Tensor:
    """A matrix and its like as a bias after a step along each of the gradients."""
    network = torch.nn.ParameterList([weight.clone(), weight.flatten().clone()])
    optimiser = optimiser_for(network, recipe)  # type: ignore[arg-type]  # all it asks for are parameters
    for gradient in gradients:
        network[0].grad, network[1].grad = gradient.clone(), gradient.flatten().clone()
        optimiser.step()
    return torch.stack([network[0].detach(), network[1].detach().view_as(weight)])


def test_lars_and_lamb_are_as_published():
    dice = torch.Generator().manual_seed(0)
    weight, *gradients = (torch.randn(3, 4, generator=dice, dtype=torch.float64) for _ in range(4))
    rate, decay, m, b, c = 0.5, 0.1, 0.9, 0.9, 0.999
    lars, lamb = (Recipe(optimiser=one, learning_rate=rate, weight_decay=decay) for one in ("lars", "lamb"))
    expected = torch.stack([weight, weight])
    velocity = torch.zeros_like(expected)
    for gradient in gradients:
        w = expected[0].clone()
        trust = 0.001 * w.norm() / (gradient.norm() + decay * w.norm())
        velocity = m * velocity + rate * torch.stack([trust * (gradient + decay * w), gradient])
        expected = expected - velocity
    torch.testing.assert_close(stepped(lars, gradients, weight), expected)
    expected, first, second = torch.stack([weight, weight]), torch.zeros_like(weight), torch.zeros_like(weight)
    for step, gradient in enumerate(gradients, 1):
        first, second = b * first + (1 - b) * gradient, c * second + (1 - c) * gradient**2
        change = (first / (1 - b**step)) / ((second / (1 - c**step)).sqrt() + 1e-6)
        w = expected[0].clone()
        decayed = change + decay * w
        expected = expected - rate * torch.stack([decayed * w.norm() / decayed.norm(), change])
    torch.testing.assert_close(stepped(lamb, gradients, weight), expected)


def test_layers_that_are_all_zeros_begin_to_learn_too():
    for optimiser in ("lars", "lamb"):
        recipe = Recipe(optimiser=optimiser, weight_decay=0)
        after = stepped(recipe, [torch.ones(2, 2)], torch.zeros(2, 2))
        assert (after < 0).all()


def without_statistics(layer: torch.nn.Module, _: object) -> None:
    """A batch norm as in evaluation."""
    layer.eval()


@pytest.mark.parametrize("optimiser", ["adamw", "sgd", "lars", "lamb"])
def test_a_batch_in_parts_is_the_step_of_the_whole_batch(small_images, small_network, optimiser):
    """Of a network without batch norm, whose statistics would be those of the parts."""

    def weights(**changes: Any) -> torch.Tensor:
        network = small_network()
        for layer in network.modules():
            if isinstance(layer, torch.nn.modules.batchnorm._BatchNorm):
                layer.register_forward_pre_hook(without_statistics)
        recipe = Recipe(**FAST | {"batch_size": 10, "optimiser": optimiser, "label_smoothing": 0.1} | changes)
        fit(network, small_images(30), recipe)
        return flat(network)

    torch.testing.assert_close(weights(micro_batch=4), weights(), rtol=1e-3, atol=2e-5)
    assert torch.equal(weights(micro_batch=10), weights())


def test_the_rate_grows_with_the_batch_from_its_reference():
    recipe = Recipe(learning_rate=0.1, batch_size=512, reference_batch=128, warmup=0.0)
    assert rate_at(1, 10, recipe) == pytest.approx(0.4)
    assert optimiser_for(torch.nn.Linear(2, 2), recipe).param_groups[0]["lr"] == pytest.approx(0.4)  # type: ignore[arg-type]  # as above


def test_the_average_of_the_weights_is_kept_in_their_place(small_images, small_network):
    network = small_network()

    class Watch(Silent):
        weights: list[torch.Tensor] = []

        def point(self, step, values):
            self.weights.append(network.head.weight.detach().clone())

    fit(network, small_images(30), Recipe(**(FAST | {"ema": 0.75, "steps": 6})), listener=Watch())
    average, *others = Watch.weights
    for step, weight in enumerate(others, start=1):
        average = torch.lerp(average, weight, 1 - min(0.75, (1 + step) / (10 + step)))
    assert len(others) == 5
    assert torch.allclose(network.head.weight, average, atol=1e-6)
    assert not torch.allclose(network.head.weight, others[-1], atol=1e-4)


def test_a_slow_average_forgets_the_untrained_weights(trained, small_images):
    network, _ = trained(ema=0.999, steps=150, learning_rate=0.01)
    seen = small_images(60)
    logits, _ = predict(network, seen.pixels)
    assert (logits.argmax(1) == seen.labels).mean() > 0.9


def test_a_balanced_loss_finds_more_of_a_rare_class(small_images, small_network):
    few, judged = small_images(0, counts=(60, 57, 3)), small_images(60, seed=9)

    def recall(balance: str) -> float:
        network = small_network()
        fit(network, few, Recipe(**(FAST | {"steps": 60, "learning_rate": 0.01, "balance": balance})))
        predicted = predict(network, judged.pixels)[0].argmax(1)
        return float((predicted[judged.labels == 2] == 2).mean())

    assert recall("loss") > recall("none") + 0.5


class Curve(Silent):
    """Keeps what it is told."""

    def __init__(self) -> None:
        self.points: dict[int, dict[str, float]] = {}
        self.done: list[tuple[int, int]] = []

    def point(self, step, values):
        self.points[step] = values

    def progress(self, done, total, *, unit):
        self.done.append((done, total))


def test_patience_stops_early_and_keeps_the_best_weights(small_images, small_network, tmp_path):
    images, held_out, curve, network = small_images(30), small_images(60, seed=1), Curve(), small_network()
    changes = {"steps": 60, "evaluate_every": 3, "patience": 3, "learning_rate": 0.03, "keep_best": 2}
    recipe = Recipe(**(FAST | changes))
    fitted = fit(network, images, recipe, held_out=held_out, keep=CheckpointPlan(tmp_path, {}), listener=curve)
    assert fitted.best_step is not None
    assert fitted.steps == fitted.best_step + 9 < 60
    assert curve.done[-1] == (fitted.steps, fitted.steps)
    judged = {step: values["validation_accuracy"] for step, values in curve.points.items() if step % 3 == 0}
    assert sorted(judged) == list(range(3, fitted.steps + 1, 3))
    right = (predict(network, held_out.pixels)[0].argmax(1) == held_out.labels).mean()
    assert right == pytest.approx(max(judged.values())) == judged[fitted.best_step]
    assert right > judged[fitted.steps], "the last weights were worse: keeping them would not pass"
    held = safetensors.torch.load_file(tmp_path / "best" / f"step-{fitted.best_step:08d}.safetensors")
    assert all(torch.equal(value, held[name]) for name, value in network.state_dict().items())
    assert len(list((tmp_path / "best").iterdir())) == 2


def test_without_patience_evaluations_change_nothing(trained, small_images, small_network):
    network, other = trained()[0], small_network()
    fit(other, small_images(30), Recipe(**FAST, evaluate_every=1), held_out=small_images(12, seed=1))
    assert torch.equal(flat(network), flat(other))


def test_patience_without_a_validation_set_is_refused(trained):
    with pytest.raises(ConfigError, match=r"recipe\.patience: needs a validation set"):
        trained(patience=2)


def test_loss_breaks_ties_and_of_equals_the_earlier_is_better():
    scores = Scores()
    rows = [(1, 0.5, 0.9), (2, 0.7, 0.8), (3, 0.7, 0.6), (4, 0.7, 0.6), (5, 0.6, 0.1)]
    assert [scores.add(Score(*row)) for row in rows] == [True, True, True, False, False]
    assert [score.step for score in scores.best(3)] == [3, 4, 2]
    assert scores.exhausted(2)
    assert not scores.exhausted(3)
    assert not scores.exhausted(None)


@pytest.mark.parametrize(
    ("samples", "held_out", "patience", "every"),
    [(6400, 64, None, 100), (640, 64, None, 50), (100, 10_000, None, 334), (100, 10_000, 3, 50)],
)
def test_evaluations_come_about_once_an_epoch_and_cost_little(samples, held_out, patience, every):
    recipe = Recipe(steps=1000, patience=patience)
    assert evaluation_interval(recipe, samples=samples, held_out=held_out) == every


def test_bfloat16_learns_with_weights_that_stay_float32(trained):
    network, fitted = trained(precision="bfloat16", steps=100, learning_rate=0.01)
    assert (fitted.precision, fitted.train_accuracy > 0.9) == ("bfloat16", True)
    assert {value.dtype for value in network.parameters()} == {torch.float32}
    plain, _ = trained(steps=100, learning_rate=0.01)
    assert not torch.equal(flat(network), flat(plain))


@pytest.mark.parametrize("frozen", [False, True])
def test_bfloat16_is_chosen_where_the_processor_computes_in_it(frozen):
    able = torch.cpu.get_capabilities()
    has = bool(able.get("avx512_bf16") or able.get("amx_bf16"))
    chosen = choose(Recipe(device="cpu"), frozen=frozen, steps=100_000)
    assert (chosen.precision, chosen.compiled) == ("bfloat16" if has and not frozen else "float32", False)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU here")
def test_a_gpu_that_is_not_there_is_refused_by_name(trained):
    assert trained()[1].device == "cpu"
    with pytest.raises(ConfigError, match=r"recipe\.device: there is no CUDA GPU"):
        trained(device="cuda")


@pytest.mark.gpu
@pytest.mark.skipif(not torch.cuda.is_available(), reason="no NVIDIA GPU here: training on one was not tested")
@pytest.mark.parametrize("compiled", ["never", "always"])
def test_a_gpu_learns_and_gives_the_weights_back_on_the_cpu(trained, compiled):
    network, fitted = trained(device="cuda", compile=compiled, precision="auto", steps=150, learning_rate=0.01, ema=0.5)
    assert fitted.device == "cuda"
    assert fitted.train_accuracy > 0.9
    assert {value.device.type for value in network.state_dict().values()} == {"cpu"}


def test_a_loss_that_is_no_number_is_an_error_that_says_what_to_change(small_images, small_network):
    network = small_network()
    torch.nn.init.constant_(network.head.bias, torch.inf)  # as if it had diverged
    with pytest.raises(DataError, match=r"lower recipe\.learning_rate"):
        fit(network, small_images(30), Recipe(**FAST))


def events_of(folder) -> list[Event]:
    """The records of an event file: length, its checksum, data, its checksum."""
    data, found, at = (folder / FOLDER / FILE).read_bytes(), [], 0
    while at < len(data):
        size = struct.unpack("<Q", data[at : at + 8])[0]
        found.append(Event.FromString(data[at + 12 : at + 12 + size]))
        at += 16 + size
    return found


def test_the_event_file_holds_every_point_of_the_curve(small_images, small_network, tmp_path):
    curve = Curve()
    recipe, held_out = Recipe(**FAST, evaluate_every=5), small_images(9, seed=1)
    fit(small_network(), small_images(30), recipe, held_out=held_out, keep=CheckpointPlan(tmp_path, {}), listener=curve)
    first, *events = events_of(tmp_path)
    assert first.file_version == "brain.Event:2"
    shown = {(event.step, value.tag): value.simple_value for event in events for value in event.summary.value}
    told = {(step, name): value for step, values in curve.points.items() for name, value in values.items()}
    assert shown == {place: pytest.approx(value, rel=1e-5) for place, value in told.items()}
    assert (10, "validation_loss") in shown


def test_training_does_not_touch_the_callers_random_state(trained):
    torch.manual_seed(3)
    expected = torch.rand(1)
    torch.manual_seed(3)
    trained(mixup=0.4)
    assert torch.equal(torch.rand(1), expected)


def test_one_lock_gives_one_set_of_weights_and_another_seed_others(training_config, tmp_path):
    training_config["recipe"] |= {"steps": 20, "mixup": 0.2, "ema": 0.9, "patience": 50}

    def weights(name: str, **changes) -> bytes:
        out = tmp_path / name
        config = training_config | {"out_dir": str(out), "recipe": training_config["recipe"] | changes}
        train(parse(TrainingConfig, config))
        data: bytes = (out / "checkpoint.safetensors").read_bytes()
        return data

    assert weights("one") == weights("other")
    assert (tmp_path / "one" / "config.json").read_bytes() == (tmp_path / "other" / "config.json").read_bytes()
    assert weights("one") != weights("seeded", seed=8)
