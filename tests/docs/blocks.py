"""The code blocks of the docs, and which of them can't run on a machine of ours: `<!-- not run: needs a GPU -->` stands
above them."""

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby, takewhile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HOWTO = ROOT / "docs" / "howto"
PAGES = (ROOT / "README.md", *sorted(HOWTO.glob("*.md")))
# In the order in which a reader needs them: the first page makes what the others speak of.
ORDER = """first-loop models mlflow sweeps pipelines planning evaluation-and-gates backtests maps similar lake
predictions label-quality composing-batches splits-and-slices editing-samples strategies scoring training
training-data-and-architectures formats jobs-and-workers kubernetes observing notifications labeling dvc
getting-data-in people sign-in-with-a-provider label-schema task-types privacy rename-archive-delete backup
upgrade"""
RUN = [HOWTO / f"{name}.md" for name in ORDER.split()]
_BLOCK = re.compile(r"^(?:<!-- not run: ([^\n]+) -->\n)?```(sh|python)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: where it stands, its language, its text, and why it is not run (empty: it is)."""

    page: str
    line: int
    language: str
    text: str
    not_run: str

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"

    def commands(self, *programs: str) -> Iterator[list[str]]:
        """The words of each command of these programs that a shell block types, without where their output goes."""
        for line in _joined(self.text):
            for ends, words in groupby(_words(line), key=lambda word: word in {"&&", ";"}):
                command = list(takewhile(lambda word: word not in {"|", ">"}, words))
                if not ends and command[0] in programs:
                    yield command


def blocks(page: Path) -> list[Block]:
    """The blocks of a page that are code to run, in order."""
    text = page.read_text()
    return [
        Block(page.name, text.count("\n", 0, found.start(3)), found[2], found[3], found[1] or "")
        for found in _BLOCK.finditer(text)
    ]


def _joined(text: str) -> Iterator[str]:
    """Commands with the lines that they go on in: after a backslash, or inside of quotes."""
    held = ""
    for line in text.splitlines():
        held += line
        if held.endswith("\\"):
            held = held[:-1]
        elif _is_whole(held):
            yield held
            held = ""
        else:
            held += "\n"
    assert not held, f"a quote is left open: {held}"


def _is_whole(command: str) -> bool:
    try:
        _words(command)
    except ValueError:  # a quote is open
        return False
    return True


def _words(command: str) -> list[str]:
    lexer = shlex.shlex(command, posix=True, punctuation_chars=";&")
    lexer.whitespace_split = True
    return list(lexer)
