"""Split rules: a group of samples (a scene, a drive, a patient) goes into one split as a whole, by its hash alone.

Each split draws a number from the group's hash, weighted with its share; the highest wins (weighted rendezvous). So a
group gets the same split on every machine and in every order, and when shares change, only those groups move whose new
split grew relative to their old one.
"""

import hashlib
import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from catalog.models import Split
from core.errors import Invalid

FIELD = "split_rule"
MAX_PATTERN = 200
MAX_REPEATS = 3
_SUM_SLACK = 1e-9
_DRAWS = 2.0**64
_META = "meta."
_REGEX = "regex:"


@dataclass(frozen=True, slots=True)
class SplitRule:
    """`group` is the part of a sample that names its group, `fractions` the share of all groups for each split; the
    rest stays in pool. Another `seed` assigns the groups anew."""

    group: str
    fractions: Mapping[str, float]
    seed: str = ""

    @classmethod
    def of(cls, document: Any) -> "SplitRule":
        """Parse a rule from JSON. Raises Invalid (`split_rule`)."""
        if not isinstance(document, Mapping) or not {"group", "fractions"} <= set(document) <= _NAMES:
            raise _fault('must be like {"group": "meta.scene", "fractions": {"train": 0.8, "test": 0.2}, "seed": "1"}')
        seed = document.get("seed", "")
        if not isinstance(seed, str | int) or isinstance(seed, bool) or len(str(seed)) > MAX_PATTERN:
            raise _fault(f"seed: must be a number or a text of at most {MAX_PATTERN} characters")
        return cls(_checked_group(document["group"]), _checked_fractions(document["fractions"]), str(seed))

    def document(self) -> dict[str, Any]:
        """The rule as JSON, as it is stored and shown."""
        return {"group": self.group, "fractions": dict(self.fractions), "seed": self.seed}

    @property
    def alone(self) -> bool:
        """Whether every sample is a group of its own, so that no group can be in several splits."""
        return self.group == "key"

    def group_of(self, key: str, meta: Mapping[str, Any]) -> str | None:
        """Return the name of the sample's group, or None if it has none."""
        if self.group == "key":
            return key
        if self.group == "folder":
            return key.rpartition("/")[0] or None
        if self.group.startswith(_REGEX):
            found = re.search(self.group.removeprefix(_REGEX), key)
            return (found[1] if found.re.groups else found[0]) or None if found else None
        value: Any = meta
        for name in self.group.removeprefix(_META).split("."):
            value = value.get(name) if isinstance(value, Mapping) else None
        return json.dumps(value, ensure_ascii=False) if isinstance(value, str | int | float) else None

    def split_of(self, group: str) -> str:
        """Return the split of a group, by its hash."""
        shares = {**self.fractions, Split.POOL.value: max(0.0, 1 - math.fsum(self.fractions.values()))}
        wanted = ((split, share) for split, share in shares.items() if share > _SUM_SLACK)
        return max((_draw(self.seed, split, group) / share, split) for split, share in wanted)[1]

    def missing(self) -> str:
        """Return the error for a sample without a group."""
        if self.group.startswith(_META):
            return f"{self.group}: the dataset's split rule needs it to tell the sample's group; send it"
        wanted = "a folder" if self.group == "folder" else f"a part that matches {self.group.removeprefix(_REGEX)!r}"
        return f"key: the dataset's split rule needs {wanted} in it to tell the sample's group"


_NAMES = {"group", "fractions", "seed"}


def _draw(seed: str, split: str, group: str) -> float:
    """Return the logarithm of the number in (0, 1) that a split draws for a group: negative, nearer to 0 is better."""
    digest = hashlib.sha256(json.dumps([seed, split, group]).encode()).digest()
    return math.log((int.from_bytes(digest[:8], "big") + 0.5) / _DRAWS)


def _checked_group(group: Any) -> str:
    if not isinstance(group, str):
        raise _fault("group: must be a text")
    if group in {"key", "folder"} or (group.startswith(_META) and all(group.split("."))):
        return group
    if not group.startswith(_REGEX):
        raise _fault("group: must be key, folder, meta.NAME or regex:PATTERN")
    pattern = group.removeprefix(_REGEX)
    # A pattern runs on every new key, so those that can take for ever are refused.
    if len(pattern) > MAX_PATTERN or sum(pattern.count(sign) for sign in "*+{") > MAX_REPEATS:
        raise _fault(f"group: a pattern has at most {MAX_PATTERN} characters and {MAX_REPEATS} of * + {{")
    if re.search(r"\)[*+{?]|\\[0-9]|\(\?(?!:)", pattern):
        raise _fault("group: a pattern repeats no group, looks not around and refers not back")
    try:
        found = re.compile(pattern)
    except re.error as error:
        raise _fault(f"group: no regular expression: {error}") from error
    if found.groups > 1:
        raise _fault("group: a pattern has one (group) at most: use (?:..) for the others")
    return group


def _checked_fractions(fractions: Any) -> dict[str, float]:
    splits = [split.value for split in Split if split != Split.POOL]
    if not isinstance(fractions, Mapping) or not fractions or not set(fractions) <= set(splits):
        raise _fault(f"fractions: must name shares of {', '.join(splits)}; what they leave out stays in pool")
    if not all(isinstance(share, int | float) and not isinstance(share, bool) for share in fractions.values()):
        raise _fault("fractions: must be numbers")
    found = {split: float(fractions[split]) for split in splits if split in fractions}
    if not all(0 <= share <= 1 for share in found.values()) or not 0 < math.fsum(found.values()) <= 1 + _SUM_SLACK:
        raise _fault("fractions: must be 0 to 1 each and together at most 1")
    return found


def _fault(message: str) -> Invalid:
    return Invalid.field(FIELD, message)
