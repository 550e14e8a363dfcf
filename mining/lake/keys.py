"""Check keys of frames, a column at a time: frames may become samples, so their keys follow the rules of `catalog.keys`
(a test compares both)."""

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

MAX_KEY, MAX_PART_BYTES = 500, 255
FAULTS: tuple[tuple[str, Callable[[Any], Any]], ...] = (
    (f"must be 1 to {MAX_KEY} printable characters, not blanks alone",
     lambda keys: pc.or_(pc.or_(pc.invert(pc.utf8_is_printable(keys)), pc.greater(pc.utf8_length(keys), MAX_KEY)),
                         pc.equal(pc.utf8_length(pc.utf8_trim_whitespace(keys)), 0))),
    ("must be a relative name with forward slashes",
     lambda keys: pc.or_(pc.match_substring(keys, "\\"), pc.starts_with(keys, "/"))),
    ("must not hold empty, '.' or '..' parts", lambda keys: pc.match_substring_regex(keys, r"(^|/)(\.|\.\.)?(/|$)")),
    (f"must not hold parts of more than {MAX_PART_BYTES} bytes",
     lambda keys: pc.match_substring_regex(pc.cast(keys, pa.binary()), rf"[^/]{{{MAX_PART_BYTES + 1}}}")),
    ("must not begin with .motherlode, labels.jsonl or schema.json",
     lambda keys: pc.match_substring_regex(keys, r"^(\.motherlode|labels\.jsonl|schema\.json)(/|$)")),
    ("must be in normal form C of Unicode", lambda keys: pc.not_equal(pc.utf8_normalize(keys, "NFC"), keys)),
)  # fmt: skip


def key_fault(keys: pa.Array) -> tuple[int, str] | None:
    """Return the first row whose key is invalid, and why; None if all are valid."""
    found = [(at, words) for words, test in FAULTS if (at := pc.index(test(keys), value=True).as_py()) >= 0]
    return min(found, default=None)
