"""What the browser must load: the entry, and what each page adds to it. Of the build as it lies in dist/."""

import gzip
import re
from pathlib import Path

from bench.ui.promise import at_most
from bench.versioning.table import Line

ENTRY, ROUTE = 130_000, 60_000  # bytes of JavaScript, compressed
STATIC = re.compile(r"""(?:\bfrom|\bimport)\s*["'`]\./([\w.-]+\.js)["'`]""")
LAZY = re.compile(r"""\bimport\(\s*["'`]\./([\w.-]+\.js)["'`]\s*\)""")
NAMED = re.compile(r"assets/([\w.-]+\.js)")


def measure(dist: Path) -> list[Line]:
    """The entry and the three largest pages. Raises SystemExit where nothing is built."""
    if not (dist / "index.html").is_file():
        raise SystemExit("The web application is not built: run make frontend first.")
    chunks = Chunks(dist / "assets")
    entry = chunks.closure(NAMED.findall((dist / "index.html").read_text(encoding="utf-8")))
    pages = {name: chunks.size(chunks.closure([name]) - entry) for name in chunks.lazy()}
    largest = sorted(pages, key=pages.__getitem__, reverse=True)[:3]
    lines = [at_most("entry, JavaScript, gzip", ENTRY, chunks.size(entry), kilobytes)]
    return lines + [at_most(f"{_plain(name)}, gzip", ROUTE, pages[name], kilobytes) for name in largest]


class Chunks:
    """The scripts of a build and what each of them imports."""

    def __init__(self, folder: Path) -> None:
        self._texts = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.js")}

    def closure(self, names: list[str]) -> set[str]:
        """These and all that they import at once."""
        found: set[str] = set()
        waiting = list(names)
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += STATIC.findall(self._texts[name])
        return found

    def lazy(self) -> set[str]:
        """What is loaded only when it is needed: pages, and parts of pages."""
        return {name for text in self._texts.values() for name in LAZY.findall(text)}

    def size(self, names: set[str]) -> int:
        return sum(len(gzip.compress(self._texts[name].encode())) for name in names)


def kilobytes(size: float) -> str:
    return f"{size / 1000:.1f} kB"


def _plain(name: str) -> str:
    """`grid-page-ryzsUJZv.js` without its hash."""
    return re.sub(r"-[\w-]{8}\.js$", "", name)
