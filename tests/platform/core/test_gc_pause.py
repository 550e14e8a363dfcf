"""The search for garbage waits as long as somebody asked, and goes on whatever happened."""

import gc
from threading import Event, Thread

import pytest

from core import gc_pause


def test_it_waits_for_the_last_of_several_threads() -> None:
    inside, leave = Event(), Event()

    def hold() -> None:
        with gc_pause.paused():
            inside.set()
            leave.wait(10)

    other = Thread(target=hold)
    with gc_pause.paused():
        other.start()
        assert inside.wait(10)
    assert not gc.isenabled()
    leave.set()
    other.join()
    assert gc.isenabled()


def test_it_goes_on_after_an_error() -> None:
    with pytest.raises(ValueError, match="no"), gc_pause.paused():
        raise ValueError("no")
    assert gc.isenabled()
