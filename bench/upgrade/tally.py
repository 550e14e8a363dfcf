"""What the proxy answered: how many requests, how long they took, and which were refused."""

from dataclasses import dataclass
from pathlib import Path

FORMAT = "$msec $status $request_time $sent_http_retry_after- $request_method $uri $upstream_addr"
UNAVAILABLE = 500


@dataclass(frozen=True, slots=True)
class Refusals:
    """`silent` are answers from 500 on without a Retry-After, `told` those with one, over at most `longest` seconds."""

    requests: int
    slowest: float
    silent: list[str]
    told: int
    longest: float

    def __str__(self) -> str:
        told = f"{self.told} with Retry-After over {self.longest:.2f} s" if self.told else "none with Retry-After"
        words = f"{self.requests:,} requests, the slowest {self.slowest:.2f} s; 5xx: {len(self.silent)} without, {told}"
        return words + "".join(f"\n         {line}" for line in self.silent[:5])


def refusals(log: Path, start: int) -> Refusals:
    """Read the proxy's log from a byte on."""
    with log.open(encoding="utf-8") as file:
        file.seek(start)
        lines = [line.split(" ", 3) for line in file.read().splitlines()]
    refused = [(float(at), status, rest) for at, status, _, rest in lines if int(status) >= UNAVAILABLE]
    silent = [f"{status} {rest}" for _, status, rest in refused if rest.startswith("-")]
    told = [at for at, _, rest in refused if not rest.startswith("-")]
    slowest = max((float(seconds) for _, _, seconds, _ in lines), default=0.0)
    return Refusals(len(lines), slowest, silent, len(told), max(told) - min(told) if told else 0.0)
