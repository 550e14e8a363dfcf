"""The matrix of faults names tests that there are, and a fault that is not withstood is told."""

import ast
from pathlib import Path

from bench.fault_matrix.__main__ import run
from bench.fault_matrix.faults import FAULTS, Fault
from bench.planted_faults.__main__ import ROOT


def test_every_test_that_it_names_is_there() -> None:
    for fault in FAULTS:
        for test in fault.tests:
            file, _, name = test.partition("::")
            defined = {node.name for node in ast.parse((ROOT / file).read_text()).body if hasattr(node, "name")}
            assert not name or name in defined, test


def test_it_counts_what_held_and_names_what_did_not(tmp_path: Path) -> None:
    test = tmp_path / "test_of_a_fault.py"
    test.write_text("import itertools\ncount = itertools.count(1)\n\ndef test_it():\n    assert next(count) < 3\n")
    found = run(Fault("a fault", "it holds", (str(test),)), "embedded", 3, long=False)
    assert (found.held, [name.rpartition("::")[2] for name in found.failed]) == (2, ["test_it[2]"])
