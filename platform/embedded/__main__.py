"""`python -m embedded up|down|restart|status|manage`."""

import argparse
import os
import sys
from pathlib import Path

from embedded import commands
from embedded.layout import Layout, project_root


def main() -> int:
    os.umask(0o077)  # for every process that is started here: what lies in `var/` is its owner's alone
    parser = argparse.ArgumentParser(prog="python -m embedded", description="The platform on one machine.")
    parser.add_argument("--var", type=Path, default=project_root() / "var", help="the folder that holds all state")
    verbs = parser.add_subparsers(dest="verb", required=True)
    up = verbs.add_parser("up", help="start everything; Ctrl-C stops it")
    up.add_argument("--detach", action="store_true", help="return once it is ready, leaving it running")
    up.add_argument("--port", type=int, default=os.environ.get("PORT", "8000"), help="of the web application")
    verbs.add_parser("down", help="stop it")
    verbs.add_parser("restart", help="put the present code into service while the platform serves")
    verbs.add_parser("status", help="list the processes")
    manage = verbs.add_parser("manage", help="run a command of manage.py on it: backup, restore, doctor")
    manage.add_argument("arguments", nargs=argparse.REMAINDER)
    options = parser.parse_args()
    layout = Layout(options.var.resolve())
    if options.verb == "up":
        return (commands.up_detached if options.detach else commands.up)(layout, port=options.port)
    if options.verb == "manage":
        return commands.manage(layout, options.arguments or ["help"], port=int(os.environ.get("PORT", "8000")))
    return {"down": commands.down, "restart": commands.restart, "status": commands.status}[options.verb](layout)


if __name__ == "__main__":
    sys.exit(main())
