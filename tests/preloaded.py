"""Programs that tests start come out of a process that has torch and the rest loaded already: see tests/forked.py.

They are processes all the same, with the arguments, environment, descriptors and group they were given, and die by
signals or with who started them. What starts otherwise than by `python -m` one of its PROGRAMS, or by manage.py, starts
as ever; so does what a Celery worker or a web server of a test starts, and everything where MOTHERLODE_TEST_PRELOADED
is 0 or coverage is measured in processes.
"""

import subprocess
from collections.abc import Iterator

import pytest
from tests import forked


def pytest_configure(config: pytest.Config) -> None:
    """Who hands tests out to other processes starts the server for them, and it loads while they look for tests."""
    if forked.WANTED and not hasattr(config, "workerinput") and config.getoption("numprocesses", None):
        forked.address()


def pytest_unconfigure() -> None:
    forked.stop()


@pytest.fixture(scope="session", autouse=True)
def preloaded_programs() -> Iterator[None]:
    """Of this process."""
    with pytest.MonkeyPatch.context() as patch:
        if forked.WANTED:
            patch.setattr(subprocess, "Popen", forked.Forked)
        yield


@pytest.fixture
def fresh_programs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Programs start as ever: for who looks at what the kernel shows of them, which is the server's of a fork."""
    monkeypatch.setattr(subprocess, "Popen", forked.Forked.__base__)
