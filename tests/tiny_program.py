"""A real program for `run_program`: does what `do` in its config says. `python -m tests.tiny_program CONFIG.json`."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path


def say(event: str, **fields: object) -> None:
    sys.stdout.write(json.dumps({"event": event, **fields}) + "\n")
    sys.stdout.flush()


def write_config(config: dict[str, object]) -> str:
    path = Path(tempfile.mkstemp()[1])
    path.write_text(json.dumps(config))
    return str(path)


def main() -> int:  # noqa: C901 - one branch for each thing to do
    config = json.loads(Path(sys.argv[1]).read_text())
    todo = config["do"]
    sys.stderr.write(f"about to {todo}\n")
    if todo == "work":
        for step in range(config["steps"]):
            say("progress", done=step + 1, total=config["steps"])
            say("point", step=step, values={"loss": 1.0 / (step + 1)})
        say("log", message="all steps are done")
        say("result", accuracy=0.5, threads=os.environ["OMP_NUM_THREADS"])
    elif todo == "refuse":
        say("error", code="unknown_class", message="'dog' is not a class of this model.")
        return 1
    elif todo == "meet the store":
        say("error", code=config["code"], message="the object store and blobs/1")
        return 1
    elif todo == "crash":
        sys.stderr.buffer.write(b"\xff\xfe not UTF-8\nout of memory\n")
        return 3
    elif todo == "die":
        os.kill(os.getpid(), signal.SIGKILL)
    elif todo == "babble":
        print("Downloading weights...", flush=True)  # noqa: T201 - what a library may do
        time.sleep(60)
    elif todo == "tell its environment":
        say("result", environ=dict(os.environ))
    elif todo == "eat":
        say("log", message=f"pids {os.getpid()}")
        if config.get("child"):
            return subprocess.call([sys.executable, __file__, write_config(config | {"child": False})])
        held = []
        while True:
            held.append(b"x" * (16 << 20))
            time.sleep(0.01)
    elif todo == "write":
        for _ in range(1000):
            Path(tempfile.mkstemp()[1]).write_bytes(bytes(1 << 20))
            time.sleep(0.02)
    elif todo == "talk":
        while True:
            say("log" if config.get("events") else "result", message="x" * (1 << 20))
    elif todo == "talk in one line":
        while True:
            sys.stdout.write("x" * (1 << 20))
    elif todo == "leave slowly":
        say("result", done=True)
        os.close(1)
        time.sleep(1.0)
    elif todo == "hang":
        if config.get("deaf"):
            signal.signal(signal.SIGTERM, signal.SIG_IGN)
        child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
        say("log", message=f"pids {os.getpid()} {child.pid}")
        time.sleep(60)
    return 0


if __name__ == "__main__":
    sys.exit(main())
