"""`python -m embedded.setup [--dev] [--browser]`: idempotent, and instant when nothing changed."""

import argparse
import fcntl
import sys
import time
from pathlib import Path

from embedded.setup.browser import ensure_browser
from embedded.setup.console import Console, SetupError
from embedded.setup.node import FrontendSetup
from embedded.setup.python import PythonSetup
from embedded.setup.pythons import check_own

ROOT = Path(__file__).resolve().parents[3]


def main() -> int:
    parser = argparse.ArgumentParser(prog="make setup", description="Installs all that the platform needs.")
    parser.add_argument("--dev", action="store_true", help="also what the tests and checks need")
    parser.add_argument("--browser", action="store_true", help="also a Chromium for the browser tests")
    options = parser.parse_args()
    started = time.monotonic()
    logs = ROOT / "var" / "log"
    for folder in (logs.parent, logs):
        folder.mkdir(mode=0o700, exist_ok=True)
    for name in ("setup.lock", "setup.log", "setup-2.log", "setup-beside.log"):
        (logs / name).touch(mode=0o600)
    with (logs / "setup.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # two make runs at once: the second waits, then finds nothing to do
        console = Console(logs / "setup.log")
        try:
            check_own(ROOT)
            python = PythonSetup(ROOT, console)
            frontend = FrontendSetup(python, console)
            with frontend.packages():  # npm needs one core and waits for its registry, pip the same of its own
                python.install(dev=options.dev)
            frontend.build()
            if options.browser:
                ensure_browser(console)
        except SetupError as error:
            console.say(f"\nSetup stopped: {error}\n\nNothing is lost: `make setup` goes on from here.")
            return 1
        except KeyboardInterrupt:
            console.say("\nSetup interrupted; `make setup` goes on from here.")
            return 130
    seconds = time.monotonic() - started
    console.say(f"Setup finished in {seconds:.0f} s." if seconds > 1 else "Everything is installed.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
