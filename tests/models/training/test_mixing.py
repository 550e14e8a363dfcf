"""Mixed batches, and the loss over labels that are mixed, smoothed and weighted."""

import numpy as np
import pytest
import torch
from torch.nn.functional import cross_entropy, log_softmax

from tasktypes.classification.learning import ClassificationLearning, CrossEntropy, class_weights
from tasktypes.mixed import Mix
from training import Recipe
from training.mixing import mix

CPU = torch.device("cpu")
LABELS = torch.tensor([0, 1, 2, 2, 1, 0, 2, 2])


def plain(count: int = 8, size: int = 16) -> torch.Tensor:
    """Images of which each is one flat value, its number: any mixture of two can be read off."""
    return torch.arange(1.0, count + 1).view(-1, 1, 1, 1).expand(count, 1, size, size).clone()


def mixture(recipe: Recipe, *, step: int, inputs: torch.Tensor | None = None) -> Mix:
    found = mix(plain() if inputs is None else inputs, recipe, step=step)
    assert found is not None
    return found


def batches(recipe: Recipe, count: int = 40) -> list[Mix]:
    return [mixture(recipe, step=step) for step in range(1, count + 1)]


def test_where_neither_is_asked_for_nothing_is_mixed():
    assert mix(plain(), Recipe(), step=1) is None


def test_mixup_blends_each_image_with_its_partner_by_the_share_of_its_label():
    for mixed in batches(Recipe(mixup=0.4)):
        own = torch.arange(1.0, 9)
        expected = mixed.share * own + (1 - mixed.share) * own[mixed.partner]
        assert torch.allclose(mixed.inputs, expected.view(-1, 1, 1, 1).expand_as(mixed.inputs), atol=1e-5)


def test_cutmix_pastes_as_much_of_the_partner_as_its_label_says():
    for mixed in batches(Recipe(cutmix=1.0)):
        own = torch.arange(1.0, 9)
        different = mixed.partner != torch.arange(8)
        kept = (mixed.inputs == own.view(-1, 1, 1, 1)).float().mean((1, 2, 3))
        pasted = (mixed.inputs == own[mixed.partner].view(-1, 1, 1, 1)).float().mean((1, 2, 3))
        assert torch.allclose(kept[different], torch.tensor(mixed.share))
        assert torch.allclose(pasted[different], torch.tensor(1 - mixed.share), atol=1e-6)


def test_beside_each_other_a_coin_takes_mixup_or_cutmix():
    whole = [bool((mixed.inputs == mixed.inputs.round()).all()) for mixed in batches(Recipe(mixup=1.0, cutmix=1.0))]
    assert 8 < sum(whole) < 32


def test_the_mixture_depends_on_seed_and_step_alone():
    torch.manual_seed(1)
    one = mixture(Recipe(mixup=0.4, seed=3), step=7)
    np.random.seed(5)
    again, later, other = (mixture(Recipe(mixup=0.4, seed=seed), step=step) for seed, step in ((3, 7), (3, 8), (4, 7)))
    assert torch.equal(one.inputs, again.inputs)
    assert one.share == again.share
    assert one.share not in (later.share, other.share)


def test_features_are_mixed_like_pixels():
    mixed = mixture(Recipe(mixup=0.4), step=1, inputs=torch.eye(8))
    assert torch.allclose(mixed.inputs.sum(1), torch.ones(8))


@pytest.mark.parametrize("smoothing", [0.0, 0.1])
def test_the_mass_of_mixed_labels_is_one_and_lies_where_the_shares_say(smoothing):
    mixed = mixture(Recipe(mixup=0.4), step=2)
    mass = CrossEntropy(smoothing, None).mass(LABELS, mixed, classes=3)
    assert torch.allclose(mass.sum(1), torch.ones(8))
    for row, label, other in zip(mass, LABELS, LABELS[mixed.partner], strict=True):
        expected = torch.full((3,), smoothing / 3)
        expected[label] += mixed.share * (1 - smoothing)
        expected[other] += (1 - mixed.share) * (1 - smoothing)
        assert torch.allclose(row, expected)


def test_unmixed_targets_give_the_loss_of_torch():
    logits = torch.randn(8, 3, generator=torch.Generator().manual_seed(0))
    smoothed = CrossEntropy(0.1, torch.ones(3)).loss(logits, LABELS, None)
    assert torch.allclose(smoothed, cross_entropy(logits, LABELS, label_smoothing=0.1))
    assert torch.allclose(smoothed, CrossEntropy(0.1, None).loss(logits, LABELS, None))


@pytest.mark.parametrize("smoothing", [0.0, 0.2])
def test_balanced_the_mean_loss_of_the_training_set_is_the_mean_of_its_classes_means(smoothing):
    labels = np.repeat([0, 1, 3], [80, 15, 5])  # none of class 2
    weights = class_weights(labels, 4)
    assert weights[labels].mean() == pytest.approx(1)
    assert weights[2] == 0
    logits = torch.randn(100, 4, generator=torch.Generator().manual_seed(0))
    wanted = torch.from_numpy(labels)
    objective = ClassificationLearning().objective(labels, classes=4, smoothing=smoothing, balanced=True, device=CPU)
    halves = [objective.loss(logits[at::2], wanted[at::2], None) for at in (0, 1)]
    each = cross_entropy(logits, wanted, reduction="none", label_smoothing=smoothing)
    expected = torch.stack([each[wanted == label].mean() for label in (0, 1, 3)]).mean()
    assert torch.allclose(torch.stack(halves).mean(), expected)
    assert not torch.allclose(each.mean(), expected)


def test_the_weight_of_a_mixed_sample_is_that_of_its_parts():
    mixed = mixture(Recipe(mixup=0.4), step=2)
    weights, logits = torch.tensor([2.0, 1.0, 0.5]), torch.randn(8, 3)
    own, other = weights[LABELS], weights[LABELS[mixed.partner]]
    lost = -log_softmax(logits, 1)
    parts = mixed.share * own * lost[range(8), LABELS]
    parts += (1 - mixed.share) * other * lost[range(8), LABELS[mixed.partner]]
    assert torch.allclose(CrossEntropy(0.0, weights).loss(logits, LABELS, mixed), parts.mean(), atol=1e-6)


def test_accuracy_is_counted_against_the_greater_part():
    for mixed in batches(Recipe(mixup=0.4), 10):
        expected = LABELS if mixed.share >= 0.5 else LABELS[mixed.partner]
        logits = torch.nn.functional.one_hot(expected, 3).float()
        assert CrossEntropy(0.0, None).right(logits, LABELS, mixed) == len(LABELS)
