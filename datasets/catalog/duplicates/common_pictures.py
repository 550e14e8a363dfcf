"""Test images that most of the set resembles, because its pictures are alike by nature: such likeness shows no copy.

The background is drawn from what is at hand: the images of the commit, the test images of the head, and one page of its
other images. So it costs the same whatever the size of the dataset.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from blobs.likeness import Gray, Hashes, Rows
from blobs.rarity import BACKGROUND, FALSE_ALARMS, Background, Floats, copy_bounds, levels
from worker_programs.wording import plural

BATCH = 4096


class Pictures(Protocol):
    """Pictures by index: their hashes, and their sketches with whether each is still current."""

    hashes: Hashes

    def sketches(self, places: Rows) -> tuple[NDArray[np.bool_], Gray]: ...


def background_of(sides: Iterable[Pictures], *, seed: int) -> Background:
    """Draw up to BACKGROUND pictures of some sides, each with the same chance; the same seed draws the same."""
    known = list(sides)
    sizes = np.cumsum([0, *(len(side.hashes) for side in known)])
    drawn = np.random.default_rng(seed).permutation(sizes[-1])[:BACKGROUND]
    hashes, shapes = [np.empty(0, np.uint64)], [np.empty((0, 256), np.uint8)]
    for side, start, end in zip(known, sizes[:-1], sizes[1:], strict=True):
        places = np.sort(drawn[(drawn >= start) & (drawn < end)] - start)
        if len(places):
            here, shown = side.sketches(places)
            hashes.append(side.hashes[places[here]])
            shapes.append(shown[here])
    return Background(np.concatenate(hashes), np.concatenate(shapes))


@dataclass(slots=True)
class CommonPictures:
    """Judges pairs of a picture and a test image against a background; `compared` is the number of test images."""

    background: Background
    compared: int
    bounds: dict[tuple[int, int], float] = field(default_factory=dict)
    _seen: set[tuple[int, int]] = field(default_factory=set)
    _counted: set[tuple[int, int]] = field(default_factory=set)

    def copies(
        self, tests: Pictures, places: Rows, shapes: Gray, others: Pictures, their: Rows, shown: Gray
    ) -> NDArray[np.bool_]:
        """Return which pairs (N,) of a test image and another picture may be copies: those within the test image's
        bound."""
        bounds = self._bounds(tests, places, shapes)
        near = levels(shapes, shown) <= bounds
        owner = id(others)
        self._seen |= {(owner, place) for place in their[~near].tolist()}
        self._counted |= {(owner, place) for place in their[near].tolist()}
        return near

    def document(self) -> dict[str, object] | None:
        """Return what the answer of a commit says of the rule, or None where no test image that was resembled is
        common."""
        found = [bound for bound in self.bounds.values() if np.isfinite(bound)]
        if not found:
            return None
        passed_over = len(self._seen - self._counted)
        low, high = min(found), max(found)
        detail = (
            f"{plural(len(found), 'test image')} resemble most of {len(self.background)} random images of this set, so "
            f"likeness alone shows no copy of them. Of these only re-saved copies count: at most {low:.2f} to "
            f"{high:.2f} gray levels apart, which an image that is no copy undercuts with a chance of "
            f"{FALSE_ALARMS:.0%}. {plural(passed_over, 'image')} that only resemble them are not held back."
        )
        return {
            "rule": "copies",
            "background": len(self.background),
            "common_test_images": len(found),
            "test_images": self.compared,
            "levels": [round(low, 3), round(high, 3)],
            "false_alarms": FALSE_ALARMS,
            "passed_over": passed_over,
            "detail": detail,
        }

    def _bounds(self, tests: Pictures, places: Rows, shapes: Gray) -> Floats:
        owner = id(tests)
        unique, first = np.unique(places, return_index=True)
        new = np.array([(owner, place) not in self.bounds for place in unique.tolist()], bool)
        if new.any():
            fresh, at = unique[new], first[new]
            made = copy_bounds(tests.hashes[fresh], shapes[at], self.background, compared=self.compared)
            self.bounds |= {(owner, place): float(bound) for place, bound in zip(fresh.tolist(), made, strict=True)}
        return np.array([self.bounds[owner, place] for place in places.tolist()], np.float32)
