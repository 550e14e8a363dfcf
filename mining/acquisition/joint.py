"""The posterior of a committee's members given the labels of a batch, over all ways in which these may turn out."""

import numpy as np

from acquisition.pool import Floats
from acquisition.uncertainty import entropy

BLOCK = 1 << 21
"""Most numbers of one prediction array: configurations x samples x classes."""


class Posterior:
    """Beliefs about M members: `weights` (S,) of configurations of the batch's labels, `beliefs` (S, M) in each.

    Exact while there are at most `most` configurations. Beyond that, `most` of them are drawn, in proportion to their
    weight (systematic resampling), and each keeps its exact beliefs.
    """

    def __init__(self, members: int, *, most: int, rng: np.random.Generator) -> None:
        self.weights: Floats = np.ones(1)
        self.beliefs: Floats = np.full((1, members), 1 / members)
        self._most, self._rng = most, rng

    def gains(self, members: Floats) -> Floats:
        """Return (n,) from (n, M, K): the information that a label of each sample gives about the members beyond that
        of the batch: sum_s w_s (H[sum_m b_sm p_m] - sum_m b_sm H[p_m]), the increment of BatchBALD (Kirsch et al.
        2019)."""
        rows, _, classes = members.shape
        expected = entropy(members) @ (self.weights @ self.beliefs)
        step = max(1, BLOCK // (len(self.weights) * classes))
        found = [self._entropies(members[at : at + step]) for at in range(0, rows, step)]
        gains: Floats = np.maximum(np.concatenate(found) - expected, 0.0)
        return gains

    def _entropies(self, members: Floats) -> Floats:
        rows, count, classes = members.shape
        flat = members.transpose(1, 0, 2).reshape(count, rows * classes)
        predicted = (self.beliefs @ flat).reshape(-1, rows, classes)
        found: Floats = self.weights @ entropy(predicted)
        return found

    def add(self, member: Floats) -> None:
        """Add a sample (M, K) to the batch: each configuration continues with each of its K labels."""
        joint = self.beliefs[:, None, :] * member.T[None, :, :]
        joint = joint.reshape(-1, joint.shape[2])
        chances = joint.sum(axis=1)
        weights = np.repeat(self.weights, member.shape[1]) * chances
        kept = np.flatnonzero(weights > 0)
        self.weights, self.beliefs = weights[kept] / weights.sum(), joint[kept] / chances[kept, None]
        if len(self.weights) > self._most:
            self._draw()

    def _draw(self) -> None:
        ends = np.cumsum(self.weights)
        marks = (self._rng.random() + np.arange(self._most)) / self._most * ends[-1]
        rows = np.minimum(np.searchsorted(ends, marks, side="right"), len(ends) - 1)
        self.weights, self.beliefs = np.full(self._most, 1 / self._most), self.beliefs[rows]
