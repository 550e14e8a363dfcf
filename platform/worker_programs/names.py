"""The names of datasets, models, queues and the like: what they may be, and the valid name nearest to another.

(`names.ts` is the same rule for browsers.)

>>> name_fault("KITTI")
"must be lower-case letters, digits, '.', '_' or '-', beginning and ending with a letter or digit: use kitti"
>>> usable_name("Bäume (2)")
'baume-2'
"""

import re
import unicodedata

NAME_PATTERN = r"^[a-z0-9](?:[a-z0-9._-]{0,98}[a-z0-9])?$"
NAME_RULE = "must be lower-case letters, digits, '.', '_' or '-', beginning and ending with a letter or digit"
MAX_NAME = 100


def usable_name(text: str) -> str:
    """Return the valid name nearest to the text; empty if nothing of it is left, or a number alone."""
    plain = "".join(char for char in unicodedata.normalize("NFKD", text) if not unicodedata.combining(char))
    name = re.sub(r"[^a-z0-9._-]+", "-", plain.lower())
    name = re.sub(r"^[^a-z0-9]+", "", name)[:MAX_NAME]
    name = re.sub(r"[^a-z0-9]+$", "", name)
    return "" if name.isdigit() else name


def name_fault(name: str, *, rule: str = NAME_RULE) -> str | None:
    """Return why this can't be a name, in words that offer a valid one; None if it can."""
    if re.fullmatch(NAME_PATTERN, name):
        return None
    offered = usable_name(name)
    return f"{rule}: use {offered}" if offered else rule
