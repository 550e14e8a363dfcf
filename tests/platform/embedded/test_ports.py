"""No two processes are given the same free port."""

import socket
import subprocess
import sys
from pathlib import Path

from embedded import ports
from embedded.ports import HOST, free_ports, pair_is_free, port_is_free

ROOT = Path(__file__).parents[3]
ASKED = "from embedded.ports import pair_is_free; print(pair_is_free({port}))"


def may_another_process_have(port: int) -> bool:
    argv = [sys.executable, "-c", ASKED.format(port=port)]
    done = subprocess.run(argv, cwd=ROOT / "platform", capture_output=True, text=True, check=True)
    return done.stdout.strip() == "True"


def test_a_port_that_was_given_is_given_to_nobody_else() -> None:
    (port,) = free_ports(1)
    assert port_is_free(port)
    assert not may_another_process_have(port)
    assert pair_is_free(port)  # but this process may ask once more


def test_a_port_is_free_again_once_its_process_let_go_of_it() -> None:
    (port,) = free_ports(1)
    ports._HELD.pop(port).close()
    assert may_another_process_have(port)


def test_what_somebody_listens_on_is_not_free() -> None:
    with socket.create_server((HOST, 0)) as server:
        assert not port_is_free(server.getsockname()[1])
        assert not pair_is_free(server.getsockname()[1])
