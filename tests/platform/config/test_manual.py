"""The platform serves its own manual: each page, each link in it, and each page that the application's help names."""

import re
from html import unescape
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client

from config.manual import ROOT, address_of, slug

DOCS = Path(settings.BASE_DIR) / "docs"
HELP = Path(settings.BASE_DIR) / "frontend" / "src" / "app" / "manual.ts"


def read(client: Client, address: str) -> str:
    answer = client.get(address)
    assert answer.status_code == 200, f"{address} answered {answer.status_code}"
    if answer["Content-Type"].startswith("image/"):
        return ""
    return answer.content.decode()


def links(page: str) -> set[str]:
    return {unescape(link) for link in re.findall(r'<(?:a|img)[^>]* (?:href|src)="([^"]*)"', page)}


def test_every_page_and_every_link_in_the_manual_leads_somewhere(client: Client) -> None:
    waiting, seen = {ROOT}, dict[str, str]()
    while waiting:
        address = waiting.pop()
        seen[address] = read(client, address)
        inside = {link for link in links(seen[address]) if link.startswith(ROOT)}
        waiting |= {link.partition("#")[0] for link in inside} - seen.keys()
    for address, page in seen.items():
        for link in links(page):
            target, _, part = link.partition("#")
            assert link, address
            assert not target.endswith(".md"), f"{link} of {address}"
            if part and (target or address) in seen:
                assert f'id="{part}"' in seen[target or address], f"{link} of {address}"
    pages = {f"{ROOT}{path.relative_to(DOCS).with_suffix('')}" for path in DOCS.rglob("*.md")}
    assert pages - {f"{ROOT}README"} <= seen.keys()


def test_every_page_that_the_applications_help_names_is_there(client: Client) -> None:
    named = re.findall(r", '([\w/#-]+)'\]", HELP.read_text())
    assert len(named) > 20
    for name in named:
        page, _, part = name.partition("#")
        text = read(client, f"{ROOT}{page}")
        assert not part or f'id="{part}"' in text, name


def test_a_page_is_html_with_its_tables_code_and_title(client: Client) -> None:
    page = read(client, f"{ROOT}howto/labeling")
    assert "<title>Label in the browser · Motherlode</title>" in page
    assert "<table>" in page
    assert "<code>V</code>" in page
    assert "prefers-color-scheme" in page or "light-dark(" in page


@pytest.mark.parametrize("name", ["howto/none", "../pyproject.toml", "%2e%2e/pyproject.toml", "README.md"])
def test_what_is_no_page_is_not_found(client: Client, name: str) -> None:
    assert client.get(f"{ROOT}{name}").status_code == 404


def test_links_are_resolved_where_a_page_lies() -> None:
    pages = {"README": DOCS, "howto/lake": DOCS, "reference": DOCS}
    assert address_of("lake.md#scans", "howto/maps", pages) == "/manual/howto/lake#scans"
    assert address_of("../README.md", "howto/maps", pages) == "/manual/"
    assert address_of("../../deploy/alerts.yaml", "howto/maps", pages) is None
    assert address_of("https://example.org/a.md", "howto/maps", pages) == "https://example.org/a.md"
    assert slug("What can not be kept?") == "what-can-not-be-kept"
