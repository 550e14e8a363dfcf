"""Numbers and names in sentences, for the client, the web, workers and their programs alike."""


def plural(count: int, noun: str, several: str | None = None) -> str:
    """Format a number with its noun: `1 sample`, `2,000 samples`."""
    return f"{count:,} {noun if count == 1 else several or noun + 's'}"


def printable(text: str) -> str:
    """Return the text with characters that can't be shown, or stored in a database, written as escapes."""
    return "".join(char if char.isprintable() else char.encode("unicode_escape").decode() for char in text)


def about(seconds: float) -> str:
    """Format a time as people say it: `about 40 seconds`, `about 12 minutes`, `about 3 hours`."""
    for unit, length in (("day", 86_400), ("hour", 3600), ("minute", 60)):
        if seconds >= 1.5 * length:
            return f"about {plural(_readable(seconds / length), unit)}"
    return f"about {plural(max(5, round(seconds / 5) * 5), 'second')}"


def _readable(count: float) -> int:
    """Round to what is meant by "about": whole numbers, above 20 fives."""
    return round(count) if count < 20 else round(count / 5) * 5
