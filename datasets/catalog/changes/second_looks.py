"""Second looks: compare the pixels of pairs of pictures, read from the store, whose hashes match; each pair once.

A commit does this before its transaction (`catalog.intake.ingest`), so that it doesn't lock the dataset's row
meanwhile.
"""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from blobs.errors import BlobFault, ImageRefused, StoreUnavailable
from blobs.refs import BlobRef
from blobs.second_look import Picture, picture, same
from blobs.services import store

PAIRS_AT_ONCE = 512
KEPT_PICTURES = 20_000  # at most 80 MB

Pair = tuple[BlobRef, BlobRef]


@dataclass(slots=True)
class SecondLooks:
    """Verdicts so far, by the md5s of a pair. `on_pairs` is called with the number of pairs compared, and may raise."""

    verdicts: dict[tuple[str, str], bool] = field(default_factory=dict)
    on_pairs: Callable[[int], None] = lambda _: None
    _pictures: OrderedDict[str, Picture | None] = field(default_factory=OrderedDict)

    def same(self, pairs: Sequence[Pair]) -> list[bool]:
        """Return for each pair whether it shows the same picture. A pair whose bytes can't be read or decoded counts as
        the same: it stays out of train until somebody decides. Raises StoreUnavailable."""
        unseen = {
            _names(pair): pair for pair in pairs if pair[0].md5 != pair[1].md5 and _names(pair) not in self.verdicts
        }
        todo = list(unseen.items())
        for at in range(0, len(todo), PAIRS_AT_ONCE):
            self._look(todo[at : at + PAIRS_AT_ONCE])
            self.on_pairs(len(self.verdicts))
        return [one.md5 == other.md5 or self.verdicts[_names((one, other))] for one, other in pairs]

    def _look(self, todo: Sequence[tuple[tuple[str, str], Pair]]) -> None:
        self._load({ref.md5: ref for _, pair in todo for ref in pair})
        known: list[tuple[tuple[str, str], Picture, Picture]] = []
        for names, _ in todo:
            one, other = self._pictures[names[0]], self._pictures[names[1]]
            if one is None or other is None:
                self.verdicts[names] = True
            else:
                known.append((names, one, other))
        shown = same([one for _, one, _ in known], [other for _, _, other in known])
        self.verdicts |= {names: bool(yes) for (names, _, _), yes in zip(known, shown, strict=True)}
        while len(self._pictures) > KEPT_PICTURES:
            self._pictures.popitem(last=False)

    def _load(self, refs: dict[str, BlobRef]) -> None:
        for md5 in refs.keys() & self._pictures.keys():
            self._pictures.move_to_end(md5)
        missing = [ref for md5, ref in refs.items() if md5 not in self._pictures]
        self._pictures |= dict.fromkeys(ref.md5 for ref in missing)
        for ref, data in store().get_many(missing, on_error=_passed_over):
            try:
                self._pictures[ref.md5] = picture(data)
            except ImageRefused:
                continue


def _passed_over(_: BlobRef, fault: BlobFault) -> None:
    if isinstance(fault, StoreUnavailable):
        raise fault


def _names(pair: Pair) -> tuple[str, str]:
    first, second = sorted((pair[0].md5, pair[1].md5))
    return first, second
