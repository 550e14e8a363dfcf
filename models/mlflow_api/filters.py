"""The grammar of MLflow's filters and orders: `metrics.loss < 0.1 AND tags.dataset = 'pets'`, `name DESC`.

Comparisons are judged here, on values; which keys a search knows is its own matter.
"""

import operator
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass

from core.errors import Invalid

MAX_COMPARISONS = 30
KINDS = {
    "attribute": "attribute", "attributes": "attribute", "attr": "attribute", "run": "attribute",
    "metric": "metric", "metrics": "metric",
    "param": "param", "params": "param", "parameter": "param", "parameters": "param",
    "tag": "tag", "tags": "tag",
}  # fmt: skip
_KEY = r"(?:(?P<kind>[A-Za-z]+)\.)?(?:`(?P<ticked>[^`]+)`|\"(?P<quoted>[^\"]+)\"|(?P<plain>[A-Za-z_][\w.\-/]*))"
_TEXT = r"'[^']*'|\"[^\"]*\""
_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_COMPARISON = re.compile(
    rf"\s*{_KEY}\s*(?P<op>!=|<=|>=|=|<|>|\bNOT\s+IN\b|\bIN\b|\bI?LIKE\b)\s*"
    rf"(?:(?P<text>{_TEXT})|(?P<number>{_NUMBER})|\((?P<list>(?:[\s,]|{_TEXT})*)\))\s*",
    re.IGNORECASE,
)
_AND = re.compile(r"AND\b", re.IGNORECASE)
_ORDER = re.compile(rf"\s*{_KEY}(?:\s+(?P<way>ASC|DESC))?\s*", re.IGNORECASE)
NUMERIC: Mapping[str, Callable[[float, float], bool]] = {
    "=": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
TEXTUAL = ("=", "!=", "IN", "NOT IN", "LIKE", "ILIKE")
FORM = "must be comparisons with AND between them, like \"tags.dataset = 'pets' AND metrics.test_accuracy > 0.9\""


@dataclass(frozen=True, slots=True)
class Comparison:
    """One comparison of a filter. `value` is a tuple for IN and NOT IN."""

    kind: str
    """attribute, metric, param or tag."""
    key: str
    op: str
    value: str | float | tuple[str, ...]

    def __str__(self) -> str:
        return self.key if self.kind == "attribute" else f"{self.kind}s.{self.key}"

    def number(self) -> float:
        """The value that a number is compared with. Raises Invalid (`filter`) if it is text."""
        if not isinstance(self.value, float) or self.op not in NUMERIC:
            raise Invalid.field("filter", f"{self}: compare it with a number, by one of {', '.join(NUMERIC)}")
        return self.value

    def texts(self) -> tuple[str, ...]:
        """The texts that a text is compared with. Raises Invalid (`filter`) if it is a number."""
        if isinstance(self.value, float) or self.op not in TEXTUAL:
            raise Invalid.field(
                "filter", f"{self}: compare it with a text in single quotes, by one of {', '.join(TEXTUAL)}"
            )
        return (self.value,) if isinstance(self.value, str) else self.value

    def allow(self, *ops: str) -> None:
        """Raise Invalid (`filter`) for an operator other than these."""
        if self.op not in ops:
            raise Invalid.field("filter", f"{self}: only {', '.join(ops)} is possible here, not {self.op}")

    def holds(self, value: str | float | None) -> bool:
        """Whether it holds for this value; for None, which stands for a missing one, it never does."""
        if self.kind == "metric":
            wanted = self.number()
            return isinstance(value, int | float) and NUMERIC[self.op](value, wanted)
        texts = self.texts()
        if not isinstance(value, str):
            return False
        if self.op in {"LIKE", "ILIKE"}:
            return is_like(value, texts[0], ignore_case=self.op == "ILIKE")
        return (value in texts) == (self.op in {"=", "IN"})


@dataclass(frozen=True, slots=True)
class Order:
    """One key to order by."""

    kind: str
    key: str
    descending: bool

    def __str__(self) -> str:
        return self.key if self.kind == "attribute" else f"{self.kind}s.{self.key}"


def read_filter(text: str) -> list[Comparison]:
    """Parse a filter. Raises Invalid (`filter`)."""
    found: list[Comparison] = []
    at = 0
    while text[at:].strip():
        if found:
            joined = _AND.match(text, at)
            if joined is None:
                raise Invalid.field("filter", f"{text[at : at + 40]!r} can't be read: {FORM}")
            at = joined.end()
        match = _COMPARISON.match(text, at)
        if match is None:
            raise Invalid.field("filter", f"{text[at : at + 40].strip()!r} can't be read: {FORM}")
        found.append(_comparison(match))
        at = match.end()
        if len(found) > MAX_COMPARISONS:
            raise Invalid.field("filter", f"has more than {MAX_COMPARISONS} comparisons: search by fewer")
    return found


def read_order(texts: Iterable[str]) -> list[Order]:
    """Parse the keys to order by. Raises Invalid (`order_by`)."""
    found = []
    for text in texts:
        match = _ORDER.fullmatch(text)
        if match is None:
            raise Invalid.field("order_by", f'{text[:40]!r} can\'t be read: write it like "metrics.loss ASC"')
        kind, key = _key(match, field="order_by")
        found.append(Order(kind, key, descending=(match["way"] or "ASC").upper() == "DESC"))
    return found


def unknown(field: str, what: object, known: Collection[str]) -> Invalid:
    """The error for a key that a search does not know."""
    return Invalid.field(field, f"{what} is nothing to search by here: use {', '.join(known)}")


def is_like(text: str, pattern: str, *, ignore_case: bool) -> bool:
    """Whether text is like a pattern of SQL: `%` stands for any characters, `_` for one."""
    flags = re.DOTALL | (re.IGNORECASE if ignore_case else 0)
    pieces = [
        re.compile("".join("." if one == "_" else re.escape(one) for one in piece), flags)
        for piece in pattern.split("%")
    ]
    if len(pieces) == 1:
        return pieces[0].fullmatch(text) is not None
    first = pieces[0].match(text)
    if first is None:
        return False
    at = first.end()
    for piece in pieces[1:-1]:  # the leftmost match of each leaves the most room for the others
        found = piece.search(text, at)
        if found is None:
            return False
        at = found.end()
    length = len(pattern.rpartition("%")[2])
    return len(text) - length >= at and pieces[-1].fullmatch(text, len(text) - length) is not None


def _comparison(match: re.Match[str]) -> Comparison:
    kind, key = _key(match, field="filter")
    op = " ".join(match["op"].upper().split())
    if (op in {"IN", "NOT IN"}) != (match["list"] is not None):
        raise Invalid.field("filter", f"{key}: IN and NOT IN take a list like ('a', 'b'), other operators one value")
    if match["list"] is not None:
        texts = tuple(one[1:-1] for one in re.findall(_TEXT, match["list"]))
        if not texts:
            raise Invalid.field("filter", f"{key}: the list is empty: name at least one value in quotes")
        return Comparison(kind, key, op, texts)
    return Comparison(kind, key, op, float(match["number"]) if match["number"] else match["text"][1:-1])


def _key(match: re.Match[str], *, field: str) -> tuple[str, str]:
    """The kind and the key of an identifier. Raises Invalid for another kind."""
    word = match["kind"]
    key: str = match["ticked"] or match["quoted"] or match["plain"]
    kind = KINDS.get((word or "attribute").lower())
    if kind is None:
        raise Invalid.field(field, f"{word}.{key}: there are attributes, metrics, params and tags")
    return kind, key
