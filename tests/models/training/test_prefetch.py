"""Work ahead in threads: order, errors and endings are those of a plain loop."""

import threading
import time

import pytest

from training.prefetch import CHUNK, DEPTH, mapped, prefetched


def numbers(until, *, made=None, fault=None):
    try:
        for number in range(until):
            if made is not None:
                made.append(number)
            yield number
        if fault:
            raise fault
    finally:
        if made is not None:
            made.append("closed")


def test_items_come_in_order_and_only_so_many_ahead():
    made: list[int | str] = []
    items = prefetched(numbers(1000, made=made), depth=2)
    assert [next(items) for _ in range(3)] == [0, 1, 2]
    time.sleep(0.05)
    assert len(made) <= 3 + 2 + 1
    assert list(items) == list(range(3, 1000))
    assert made[-1] == "closed"


def test_an_error_is_raised_where_the_item_would_have_been():
    items = prefetched(numbers(3, fault=KeyError("x")))
    assert [next(items) for _ in range(3)] == [0, 1, 2]
    with pytest.raises(KeyError, match="x"):
        next(items)


@pytest.mark.parametrize("taken", [1, DEPTH, 50])
def test_who_stops_early_leaves_no_thread_and_nothing_open(taken):
    made: list[int | str] = []
    before = threading.active_count()
    items = prefetched(numbers(10_000, made=made))
    for _ in range(taken):
        next(items)
    items.close()
    assert threading.active_count() == before
    assert made[-1] == "closed"
    assert len(made) < taken + 2 * DEPTH


def test_a_loop_that_breaks_leaves_no_thread():
    before = threading.active_count()
    for number in prefetched(numbers(10_000)):
        if number == 5:
            break
    assert threading.active_count() == before


@pytest.mark.parametrize("threads", [1, 3])
def test_results_have_the_order_of_the_items_whatever_the_threads(threads):
    def work(number):
        time.sleep(0.002 * (number % 3))
        return number * number

    assert list(mapped(work, range(100), threads=threads)) == [number * number for number in range(100)]


def test_a_fault_in_a_worker_is_raised_behind_what_came_before_its_chunk():
    def work(number):
        if number == 70:
            raise ValueError("seventy")
        return number

    seen: list[int] = []
    with pytest.raises(ValueError, match="seventy"):
        seen.extend(mapped(work, range(1000), threads=2))
    assert seen == list(range(70 // CHUNK * CHUNK))
