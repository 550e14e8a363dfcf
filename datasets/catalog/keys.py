"""The key of a sample: the name it was uploaded under. It is shown and matched, never used as a path."""

import unicodedata

MAX_KEY = 500
MAX_PART_BYTES = 255  # the longest file name that file systems accept
NOTES = ".motherlode"  # where `lode dataset pull` records what a folder holds
# Names of the files beside the images of a published version.
LABELS, SCHEMA = "labels.jsonl", "schema.json"
_NO_NAMES = frozenset({"", ".", ".."})


def normal_key(raw: str) -> str:
    """Normalise a key to NFC, so that every way of writing the same characters gives the same key."""
    return unicodedata.normalize("NFC", raw)


def key_fault(key: str) -> str | None:
    """Return the error of an invalid key and how to fix it, or None."""
    if not key.strip() or len(key) > MAX_KEY or not key.isprintable():
        return f"key: must be 1 to {MAX_KEY} printable characters, not blanks alone"
    if "\\" in key or key.startswith("/"):
        return "key: must be a relative name with forward slashes"
    if not _NO_NAMES.isdisjoint(key.split("/")):
        return "key: must not hold empty, '.' or '..' parts"
    return None


def name_fault(key: str) -> str | None:
    """Return why a valid key can't be a file name, or None. A new sample needs a name that can be pulled; samples from
    before this check existed can still be labelled and removed."""
    parts = key.split("/")
    if any(len(part.encode()) > MAX_PART_BYTES for part in parts):
        return f"key: must not hold parts of more than {MAX_PART_BYTES} bytes, which no file can be called"
    if parts[0] == NOTES:
        return f"key: must not begin with {NOTES}, where a pulled folder keeps its notes"
    if parts[0] in {LABELS, SCHEMA}:
        return f"key: must not be called {parts[0]}, as the file beside the images that a published version has"
    return None
