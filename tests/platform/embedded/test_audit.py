"""What advisory databases say of the locks is told, and their silence too. The documents are theirs, cut short."""

import pytest

from embedded import audit
from embedded.audit import Finding, of_npm, of_python, pins
from embedded.layout import project_root

PYTHON = {
    "dependencies": [
        {"name": "django", "version": "5.2.0", "vulns": [{"id": "PYSEC-2025-1", "fix_versions": ["5.2.1", "5.1.9"]}]},
        {"name": "celery", "version": "5.6.0", "vulns": []},
        {"name": "zc-lockfile", "skip_reason": "Dependency not found on PyPI and could not be audited"},
    ]
}
NPM = {
    "vulnerabilities": {"vite": {"via": [{"title": "reads any file"}]}, "vitest": {"via": ["vite"]}},
    "metadata": {"dependencies": {"total": 4}},
}


def test_a_hole_says_what_mends_it_and_a_package_that_no_database_has_is_not_called_healthy():
    assert of_python(PYTHON) == [
        Finding("django 5.2.0", ("PYSEC-2025-1, mended in 5.2.1 or 5.1.9",)),
        Finding("celery 5.6.0"),
        Finding("zc-lockfile", unasked="no advisory database has it"),
    ]


def test_npm_counts_the_healthy_and_a_registry_that_does_not_answer_is_said():
    assert of_npm(NPM)[:2] == [Finding("vite", ("reads any file",)), Finding("vitest", ("through vite",))]
    assert len(of_npm(NPM)) == 4
    assert of_npm({"message": "405 Method Not Allowed"})[0].unasked == "npm's registry: 405 Method Not Allowed"


def test_every_lock_is_read_with_torch_whose_lock_has_no_hash():
    folder = project_root() / "requirements"
    assert {f"{name}.lock" for name in audit.LOCKS} == {file.name for file in folder.glob("*.lock")}
    known = pins(file.read_text() for file in folder.glob("*.lock"))
    assert all(any(pin.startswith(f"{name}==") for pin in known) for name in ("torch", "django", "pytest"))


@pytest.mark.parametrize(
    ("python", "npm", "code"),
    [
        ([Finding("a")], [Finding("b")], 0),
        ([Finding("a", ("hole",))], [Finding("b", unasked="no answer")], audit.VULNERABLE),
        ([Finding("a")], [Finding("b", unasked="no answer")], audit.UNASKED),
    ],
)
def test_only_answers_about_all_of_them_are_a_success(monkeypatch, python, npm, code):
    monkeypatch.setattr(audit, "_python", lambda _: python)
    monkeypatch.setattr(audit, "_npm", lambda _: npm)
    assert audit.main() == code
