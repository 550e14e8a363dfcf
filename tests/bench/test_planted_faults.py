"""The list of faults fits the code as it is, and the machinery tells a fault that is noticed from one that is not."""

from pathlib import Path

import pytest
from bench.planted_faults.__main__ import ROOT, WHERE, copy_tree, try_fault
from bench.planted_faults.faults import FAULTS, Fault

SOUND = "def least(numbers):\n    return min(numbers)\n"
TEST = """
from thing import least

def test_least():
    assert least([3, 2, 5]) == 2
"""


@pytest.mark.parametrize("fault", FAULTS, ids=[fault.name for fault in FAULTS])
def test_a_fault_can_be_planted_and_its_tests_are_there(fault: Fault) -> None:
    assert (ROOT / fault.file).read_text().count(fault.sound) == 1
    assert fault.broken != fault.sound
    assert all((ROOT / test).exists() for test in fault.tests)


def test_there_are_twenty() -> None:
    assert len({fault.name for fault in FAULTS}) == len(FAULTS) == 20


def test_which_tests_failed_is_read_from_what_pytest_and_vitest_say() -> None:
    said = "FAILED tests/a.py::test_b[c] - assert 1 == 2\n"
    said += " FAIL  |logic| src/d.test.ts > e > f\n FAIL  src/g.test.ts > h\n"
    assert WHERE.findall(said) == ["tests/a.py::test_b[c]", "src/d.test.ts > e > f", "src/g.test.ts > h"]


@pytest.fixture
def copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one test. Its pytest hears nothing of the settings of this one."""
    monkeypatch.delenv("DJANGO_SETTINGS_MODULE", raising=False)
    (tmp_path / "pytest.ini").write_text("[pytest]\npythonpath = .\n")
    (tmp_path / "thing.py").write_text(SOUND)
    (tmp_path / "test_thing.py").write_text(TEST)
    return tmp_path


@pytest.mark.parametrize(("broken", "noticed"), [("max(numbers)", True), ("sorted(numbers)[0]", False)])
def test_a_fault_is_noticed_by_a_test_that_fails_and_gone_afterwards(copy: Path, broken: str, noticed: bool) -> None:  # noqa: FBT001
    found = try_fault(copy, Fault("least", "thing.py", "min(numbers)", broken, ("test_thing.py",)))
    assert (found.failed, found.by) == (noticed, "test_thing.py::test_least" if noticed else "")
    assert (copy / "thing.py").read_text() == SOUND


def test_a_fault_whose_text_is_there_no_more_ends_it(copy: Path) -> None:
    with pytest.raises(SystemExit, match=r"thing\.py has 'average' 0 times"):
        try_fault(copy, Fault("least", "thing.py", "average", "median", ("test_thing.py",)))


def test_tests_that_are_not_there_end_it(copy: Path) -> None:
    with pytest.raises(SystemExit, match="ended with 4"):
        try_fault(copy, Fault("least", "thing.py", "min", "max", ("test_other.py",)))


def test_the_copy_is_the_tree_as_it_lies_here(tmp_path: Path) -> None:
    copy_tree(tmp_path)
    for name in ("bench/planted_faults/faults.py", "frontend/package.json", "pyproject.toml"):
        assert (tmp_path / name).read_bytes() == (ROOT / name).read_bytes()
    assert (tmp_path / ".venv").resolve() == (ROOT / ".venv").resolve()
    assert not (tmp_path / ".git").exists()
