"""Every `lode` line of the docs is one that `lode` takes, and every curl is one that the platform serves."""

import json
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import pytest
import typer
from django.urls import resolve
from tests.docs.blocks import HOWTO, PAGES, RUN, Block, blocks
from typer.core import TyperGroup

from motherlode.cli import build

ALL = [block for page in PAGES for block in blocks(page)]
SHELL = [block for block in ALL if block.language == "sh"]


@cache
def lode() -> Any:
    """The command line with all its commands."""
    return typer.main.get_command(build())


def test_blocks_are_found_and_those_that_are_not_run_say_why() -> None:
    assert len(ALL) > 50
    assert len({block.page for block in ALL}) >= len(list(HOWTO.glob("*.md"))) - 3
    for block in ALL:
        assert not block.not_run or len(block.not_run.split()) > 2, f"{block}: {block.not_run!r} is no reason"


def test_each_page_is_run() -> None:
    assert sorted(page.stem for page in RUN) == sorted(page.stem for page in HOWTO.glob("*.md") if blocks(page))


@pytest.mark.parametrize("block", SHELL, ids=str)
def test_lode_takes_each_line(block: Block) -> None:
    for words in block.commands("lode"):
        command: Any = lode()
        context, rest = command.make_context("lode", words[1:2], resilient_parsing=True), words[1:]
        while isinstance(command, TyperGroup):
            name, found, rest = command.resolve_command(context, list(rest))
            assert found is not None
            context, command = type(context)(found, parent=context, info_name=name), found
        try:
            command.make_context(context.info_name, list(rest), parent=context.parent)
        except typer.BadParameter as error:
            assert "does not exist" in str(error), f"{block}: {' '.join(words)}: {error}"  # noqa: PT017 - a reader's file


def test_a_wrong_line_would_be_found() -> None:
    for line in ("lode dataset push a b --no-such-option", "lode dataset no-such-command", "lode model promote"):
        block = Block("page", 1, "sh", line, "")
        with pytest.raises(Exception, match=r"No such|Missing"):
            test_lode_takes_each_line(block)


@pytest.mark.parametrize("block", SHELL, ids=str)
def test_the_platform_serves_each_curl(block: Block) -> None:
    for words in block.commands("curl"):
        addresses = [word for word in words if word.startswith("$U/")]
        sent = [words[place + 1] for place, word in enumerate(words[:-1]) if word in {"-d", "-F"}]
        for address in addresses:
            method = words[words.index("-X") + 1] if "-X" in words else "POST" if sent else "GET"
            view = resolve(urlsplit(address.removeprefix("$U")).path).func
            served = getattr(view, "view_class", None) or view.cls  # type: ignore[attr-defined]  # DRF's
            assert hasattr(served, method.lower()), f"{block}: nothing answers {method} {address}"
        for body in sent:
            if body.startswith("{"):
                json.loads(body)
