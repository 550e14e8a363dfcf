"""Messages on pipes: whole, in order, or the other side has gone."""

import io

import pytest

from worker_programs.frames import receive, send


def test_messages_arrive_whole_and_in_order():
    stream = io.BytesIO()
    send(stream, {"ask": "é"}, [b"", b"\x00\xff" * 1000])
    send(stream, {"ask": 2})
    stream.seek(0)
    assert receive(stream) == ({"ask": "é"}, [b"", b"\x00\xff" * 1000])
    assert receive(stream) == ({"ask": 2}, [])
    with pytest.raises(EOFError):
        receive(stream)


def test_half_a_message_is_an_end_too():
    stream = io.BytesIO()
    send(stream, {"ask": 1}, [b"12345"])
    with pytest.raises(EOFError):
        receive(io.BytesIO(stream.getvalue()[:-1]))
