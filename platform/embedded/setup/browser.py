"""Programs that the browser tests need: Chromium and nginx, installed as Debian's packages where that is allowed."""

import os
import shutil
from collections.abc import Sequence

from embedded.setup.console import Console, SetupError

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""Names of programs, and of Debian's packages. The first is the same browser in its headless build."""
PROXIES = ("nginx",)


def find_browser() -> str | None:
    """Return the path of a Chromium on PATH, or None."""
    return _find(BROWSERS)


def find_proxy() -> str | None:
    """Return the path of an nginx on PATH, or None."""
    return _find(PROXIES)


def ensure_browser(console: Console) -> None:
    """Make sure that both are installed. Without them, browser tests skip on a developer's machine; in CI nothing may
    skip, so it raises SetupError."""
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
    """Install the first of these packages that exists."""
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
