"""Numbers in sentences, for the client, the web, workers and their programs alike."""


def plural(count: int, noun: str, several: str | None = None) -> str:
    """Format a number with its noun: `1 sample`, `2,000 samples`."""
    return f"{count:,} {noun if count == 1 else several or noun + 's'}"
