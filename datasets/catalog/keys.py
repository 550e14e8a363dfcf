"""The key of a sample: the name it came under. It is shown and matched, never used as a path."""

import unicodedata

MAX_KEY = 500
_NO_NAMES = frozenset({"", ".", ".."})


def normal_key(raw: str) -> str:
    """The same key for every way of writing the same characters (NFC)."""
    return unicodedata.normalize("NFC", raw)


def key_fault(key: str) -> str | None:
    """What is wrong with a key and how to mend it, or None."""
    if not key.strip() or len(key) > MAX_KEY or not key.isprintable():
        return f"key: must be 1 to {MAX_KEY} printable characters, not blanks alone"
    if "\\" in key or key.startswith("/"):
        return "key: must be a relative name with forward slashes"
    if not _NO_NAMES.isdisjoint(key.split("/")):
        return "key: must not hold empty, '.' or '..' parts"
    return None
