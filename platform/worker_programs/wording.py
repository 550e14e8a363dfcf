"""Numbers and names in sentences, for the client, the web, workers and their programs alike."""


def plural(count: int, noun: str, several: str | None = None) -> str:
    """Format a number with its noun: `1 sample`, `2,000 samples`."""
    return f"{count:,} {noun if count == 1 else several or noun + 's'}"


def printable(text: str) -> str:
    """Return the text with characters that can't be shown, or stored in a database, written as escapes."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)
