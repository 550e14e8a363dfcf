"""Where an answer of the web server ends."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from embedded.answers import AnswerEnd

CONTINUE = b"HTTP/1.1 100 Continue\r\n\r\n"
WHOLE = {
    "a length": (b"GET ", b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX: y\r\n\r\nfive!"),
    "no bytes": (b"POST ", b"HTTP/1.1 201 Created\r\ncontent-length:0\r\n\r\n"),
    "chunks": (b"GET ", b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n"),
    "a head alone": (b"HEAD ", b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"),
    "nothing new": (b"GET ", b"HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n"),
    "nothing": (b"DELETE ", b"HTTP/1.1 204 No Content\r\n\r\n"),
    "first a word to go on": (b"POST ", CONTINUE + b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n!"),
}


@given(kind=st.sampled_from(sorted(WHOLE)), cuts=st.sets(st.integers(1, 40)))
def test_an_answer_ends_with_its_last_byte_however_it_comes(kind: str, cuts: set[int]) -> None:
    request, answer = WHOLE[kind]
    end = AnswerEnd(request)
    places = [0, *sorted(cut for cut in cuts if cut < len(answer)), len(answer)]
    for first, last in pairwise(places):
        assert not end.found
        end.take(answer[first:last])
    assert end.found


@pytest.mark.parametrize("head", [b"HTTP/1.0 200 OK\r\n\r\n", b"HTTP/1.1 200 OK\r\nContent-Length: ?\r\n\r\n"])
def test_one_without_a_length_ends_with_its_connection(head: bytes) -> None:
    end = AnswerEnd(b"GET ")
    end.take(head + b"some")
    assert not end.found
