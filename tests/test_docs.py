"""What the code offers by name, the reference names; what the README promises, the Makefile has."""

import json
import re
from pathlib import Path

import pytest
import typer
from django.urls import resolve

import acquisition
from formats import format_names
from motherlode.cli import build
from registry.gate_grammar import OF_THE_FILE
from registry.gates import CHECKS, check_gates
from tasktypes import names as task_types
from tasktypes import task_type
from training import architectures

ROOT = Path(__file__).resolve().parents[1]
PAGES = (*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"))
REFERENCE = (ROOT / "docs" / "reference.md").read_text()


JUDGED = [task_type(name).metrics for name in task_types() if "training" not in task_type(name).lacks]
FIGURES = sorted({name for metrics in JUDGED for name in (*metrics.whole, *metrics.of_class)})


@pytest.mark.parametrize(
    "name", [*acquisition.names(), *architectures.names(), *format_names(), *CHECKS, *FIGURES, *OF_THE_FILE]
)
def test_what_is_registered_is_in_the_reference(name):
    assert re.search(rf"[`\"]{name}[`\"]", REFERENCE)


def test_every_gate_that_the_docs_show_can_be_used():
    texts = "".join(text.read_text() for text in (ROOT / "docs").rglob("*.md"))
    shown = re.findall(r"^```json gates\n(.*?)^```", texts, re.MULTILINE | re.DOTALL)
    assert len(shown) > 3
    gates = [gate for block in shown for gate in check_gates(json.loads(block), task_type("classification").metrics)]
    assert {name for gate in gates for name in gate} >= {"slice", "class", "confidence", "artifact", "min_delta", "max"}


def test_every_setting_is_in_the_reference():
    source = (ROOT / "platform" / "config" / "settings.py").read_text()
    missing = set(re.findall(r"MOTHERLODE_[A-Z0-9_]*[A-Z0-9]\b(?!_)", source)) - set(
        re.findall(r"MOTHERLODE_[A-Z0-9_]+", REFERENCE)
    )
    assert not missing


def test_every_make_target_that_the_docs_name_exists():
    named = {name for text in PAGES for name in re.findall(r"`make ([a-z-]+)", text.read_text())}
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert named <= targets


def test_every_link_between_the_docs_leads_somewhere():
    for text in PAGES:
        for link in re.findall(r"\]\(([^)]+)\)", text.read_text()):
            address, _, heading = link.partition("#")
            page = text.parent / address if address else text
            assert link.startswith("http") or page.exists(), f"{text.name}: {link}"
            assert link.startswith("http") or not heading or heading in headings(page), f"{text.name}: {link}"


def headings(page: Path) -> set[str]:
    """What a Git host links to: each heading in small letters, without punctuation, with hyphens for spaces."""
    texts = re.findall(r"^#+ (.*)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-") for text in texts}


def test_every_command_that_the_docs_type_exists():
    typed = {words for text in PAGES for words in re.findall(r"^lode ([a-z]+)(?: ([a-z-]+))?", text.read_text(), re.M)}
    assert len(typed) > 20
    known = {(name, "") for name in commands(build())}
    for one in build().registered_groups:
        assert one.typer_instance is not None
        known |= {(str(one.name), name) for name in commands(one.typer_instance)}
    assert typed <= known | {(noun, word) for noun, word in typed if (noun, "") in known}, typed - known


def commands(app: typer.Typer) -> set[str]:
    """What is typed for each command of a group."""
    named = [(one.name, one.callback) for one in app.registered_commands]
    return {name or called.__name__.replace("_", "-") for name, called in named if called is not None}


def test_every_address_that_the_docs_call_exists():
    called = [address for text in PAGES for address in re.findall(r"\$U(/[^\s\"'?]+)", text.read_text())]
    assert len(called) > 50
    for address in called:
        assert resolve(address)


def test_what_curl_is_given_by_name_is_defined_before_on_the_same_page():
    given = '''T="Authorization: Bearer $(cat var/token)"; J="Content-Type: application/json"'''
    for text in PAGES:
        page = text.read_text()
        if "\ncurl " in page:
            before, _, after = page.partition("\ncurl ")
            assert re.search(re.escape(given) + "[\n;] ?U=http://127.0.0.1:8000$", before, re.M), text.name
            own = re.findall(r"^([A-Z]+)=\$\(", page, re.M)
            assert set(re.findall(r"\$([A-Z]+)\b", after)) <= {"T", "J", "U", *own}, text.name
