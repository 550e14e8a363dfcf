"""`lode admin` and `lode doctor`: for operators, on the platform's machine. They start programs of the checkout that
this client is part of, because the client itself knows nothing of the server."""

import os
import sys
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from motherlode.access import CHECKOUT, var_folder
from motherlode.cli.terminal import as_json, typed_folder, with_json
from motherlode.errors import MotherlodeError

commands = typer.Typer(
    help="Back up, restore and upgrade the platform, on the machine that it runs on.", no_args_is_help=True
)
BackupFolder = Annotated[Path, typer.Argument(parser=typed_folder, help="the folder of the backup")]


@commands.command()
def backup(
    folder: BackupFolder,
    verify: Annotated[
        bool, typer.Option("--verify", help="read what was copied before, and copy anew what is damaged")
    ] = False,
) -> None:
    """Back up the database and all stored objects into a folder, while the platform keeps running. A second run copies
    only what is new; an interrupted one continues."""
    _manage("backup", str(folder.resolve()), *(["--verify"] if verify else []))


@commands.command()
def restore(
    folder: BackupFolder,
    other_secret: Annotated[
        bool, typer.Option("--other-secret", help="restore even if MOTHERLODE_SECRET_KEY differs from the backup's")
    ] = False,
    without_damaged: Annotated[
        bool, typer.Option("--without-damaged", help="leave out the objects that are damaged in the backup")
    ] = False,
) -> None:
    """Restore a backup into an empty database and an empty bucket; each object is verified."""
    flags = {"--other-secret": other_secret, "--without-damaged": without_damaged}
    _manage("restore", str(folder.resolve()), *(name for name, on in flags.items() if on))


@commands.command()
@with_json
def upgrade_check(
    folder: Annotated[
        Path | None, typer.Option("--backup", parser=typed_folder, help="the folder of your last backup")
    ] = None,
) -> None:
    """Say what an upgrade to this checkout's code would do: migrations and what they lock, the last backup, running
    jobs, versions. Nothing is changed.

    Exit codes: 0 nothing stands against it, 1 see to something first, 2 it could not be checked.
    """
    named = ["--backup", str(folder.resolve())] if folder else []
    _manage("upgrade_check", *named, *(["--json"] if as_json() else []))


def doctor(
    everything: Annotated[bool, typer.Option("--all", help="read every stored blob, not some at random")] = False,
) -> None:
    """Say what is wrong with the platform of this machine, and what to do.

    Exit codes: 0 nothing is wrong, 1 something is, or something could not be checked.
    """
    flags = {"--all": everything, "--json": as_json()}
    _manage("doctor", *(name for name, on in flags.items() if on))


def _manage(*words: str) -> NoReturn:
    """Replace this process with the platform's own program: with the environment's settings if there are any
    (production), else with those of the checkout's own platform."""
    if not (CHECKOUT / "manage.py").is_file():
        detail = "This works on the machine of the platform, with the `lode` of its checkout (.venv/bin/lode there)"
        raise MotherlodeError(status=0, code="not_the_platform", detail=detail)
    environment = dict(os.environ)
    if "MOTHERLODE_SECRET_KEY" in environment:
        argv = [sys.executable, str(CHECKOUT / "manage.py"), *words]
    else:
        environment["PYTHONPATH"] = str(CHECKOUT / "platform")
        argv = [sys.executable, "-m", "embedded", "--var", str(var_folder()), "manage", *words]
    os.execve(sys.executable, argv, environment)  # noqa: S606 - our own program, without a shell
