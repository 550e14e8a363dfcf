"""What the browser tests need of the machine: Chromium and nginx, or Debian's packages where we may install them."""

import os
import shutil
from collections.abc import Sequence

from embedded.setup.console import Console, SetupError

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""Programs, and Debian's packages. The first is the same browser without a window that nobody sees."""
PROXIES = ("nginx",)


def find_browser() -> str | None:
    """Path of a Chromium on PATH, or None."""
    return _find(BROWSERS)


def find_proxy() -> str | None:
    """Path of an nginx on PATH, or None."""
    return _find(PROXIES)


def ensure_browser(console: Console) -> None:
    """Without them, browser tests skip on a developer's machine; in CI nothing may skip, so that raises SetupError."""
    _ensure(console, "Chromium", BROWSERS)
    _ensure(console, "nginx", PROXIES)


def _ensure(console: Console, title: str, names: Sequence[str]) -> None:
    if _find(names):
        return
    if os.geteuid() == 0 and shutil.which("apt-get"):
        _install(console, title, names)
    if _find(names):
        return
    advice = f"{title} not found (looked for {', '.join(names)}); install it to run the browser tests"
    if os.environ.get("CI") == "true":
        raise SetupError(advice)
    console.say(f"  {advice}; they are skipped")


def _install(console: Console, title: str, names: Sequence[str]) -> None:
    """The first of these packages that there is."""
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    commands = [["update", "-q"], *(["install", "-y", "-q", "--no-install-recommends", name] for name in names)]
    for command in commands:
        try:
            console.run(f"{title} for the browser tests", ["apt-get", *command], env=quiet)
        except SetupError as error:
            console.say(f"  {error}")
        if _find(names):
            return


def _find(names: Sequence[str]) -> str | None:
    return next((path for name in names if (path := shutil.which(name))), None)
