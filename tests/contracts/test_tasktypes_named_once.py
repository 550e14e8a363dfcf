"""A task type is one folder: outside these folders no code knows one by its name, nor what its labels look like."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SHELVES = ("platform", "datasets", "models", "mining")
NAMED = re.compile(r"(?<![\w-])(classification|detection|multilabel|multi_label)(?![\w-])")
WEB = re.compile(r"""(?<=['"`])(classification|detection|multilabel|segmentation|multi_label)(?=['"`])|multi_label""")
ONE_FOLDER = "platform/tasktypes/", "frontend/src/tasktypes/"
ALLOWED = {
    "datasets/agreement/shapes.py": "the kernel that turns objects into columns",
    "datasets/catalog/filtering/expressions.py": "the filter language names what it counts",
    "datasets/catalog/filtering/sql.py": "the filter language names what it counts",
    "datasets/catalog/publication/labels.py": "documents of publications, whose bytes never change",
    "datasets/catalog/reading/statistics.py": "a field of the API's figures",
    "datasets/catalog/schemas/reading.py": "`multi_label`, the API's older word",
    "datasets/catalog/serializers/datasets.py": "`multi_label`, the API's older word",
    "datasets/catalog/serializers/schemas.py": "`multi_label`, the API's older word",
    "datasets/catalog/versions/datasets.py": "`multi_label`, the API's older word",
    "datasets/formats/": "what files say, format by format, and the forms of labels",
    "datasets/labeling/models/queues.py": "the editors, which are stored by name",
    "platform/demo/": "the datasets of the demonstration",
    "platform/motherlode/": "the client: its defaults, its help, labels in words",
}


def mentions(source: str) -> Iterator[str]:
    """Names and texts of a module, without docstrings and comments."""
    tree = ast.parse(source)
    told = {id(one.value) for one in ast.walk(tree) if isinstance(one, ast.Expr)}
    for one in ast.walk(tree):
        if isinstance(one, ast.Constant) and isinstance(one.value, str) and id(one) not in told:
            yield from NAMED.findall(one.value) if one.value != "boxes" else ["boxes"]
        words = {ast.Name: "id", ast.Attribute: "attr", ast.arg: "arg", ast.keyword: "arg"}
        if (field := words.get(type(one))) is not None and (name := getattr(one, field)) is not None:
            yield from re.findall(r"^(?:classification|detection|multilabel|multi_label)$", name)


@cache
def mentioned(path: Path) -> frozenset[str]:
    """By a module."""
    return frozenset(mentions(path.read_text()))


def modules() -> dict[str, Path]:
    """The modules outside the task types' own folder, by their path in the repository."""
    found = {path.relative_to(ROOT).as_posix(): path for shelf in SHELVES for path in (ROOT / shelf).rglob("*.py")}
    outside = (name for name in found if "/migrations/" not in name and not name.startswith(ONE_FOLDER))
    return {name: found[name] for name in outside}


def allowed(name: str) -> str | None:
    """What allows a module to name one, if anything does."""
    return next((place for place in ALLOWED if name.startswith(place)), None)


def test_no_code_knows_a_task_type_by_its_name() -> None:
    found = {name: sorted(mentioned(path)) for name, path in modules().items() if not allowed(name)}
    assert {name: words for name, words in found.items() if words} == {}


def test_what_is_allowed_is_there() -> None:
    used = {allowed(name) for name, path in modules().items() if any(mentioned(path))}
    assert set(ALLOWED) - used == set()


def test_no_page_knows_a_task_type_by_its_name() -> None:
    found = {path.relative_to(ROOT).as_posix(): path for path in (ROOT / "frontend/src").rglob("*.ts*")}
    pages = {
        name: path
        for name, path in found.items()
        if not name.startswith(ONE_FOLDER) and ".test." not in name and "/testing/" not in name and ".d.ts" not in name
    }
    assert pages
    assert {name: told for name, path in pages.items() if (told := WEB.findall(path.read_text()))} == {}


@pytest.mark.parametrize(
    "planted",
    ['if dataset.task == "detection": pass', "x = {'boxes': []}", "dataset.multi_label", "f(multi_label=True)",
     'raise ValueError("is for classification alone")', 'f"a {x} detection label"'],
)  # fmt: skip
def test_a_planted_mention_is_found(planted: str) -> None:
    assert list(mentions(planted))
    assert not list(mentions(repr(planted))), "a docstring may say it"
