"""A Chromium for the browser tests: the machine's own, or Debian's package where we may install it."""

import os
import shutil

from embedded.setup.console import Console, SetupError

NAMES = ("chromium", "chromium-browser", "google-chrome")


def find_browser() -> str | None:
    """Path of a Chromium on PATH, or None."""
    return next((path for name in NAMES if (path := shutil.which(name))), None)


def ensure_browser(console: Console) -> None:
    """Without one, browser tests skip on a developer's machine; in CI nothing may skip, so that raises SetupError."""
    if find_browser():
        return
    if os.geteuid() == 0 and shutil.which("apt-get"):
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        try:
            console.run("package lists for Chromium", ["apt-get", "update", "-q"], env=quiet)
            install = ["apt-get", "install", "-y", "-q", "--no-install-recommends", "chromium"]
            console.run("Chromium for the browser tests", install, env=quiet)
        except SetupError as error:
            console.say(f"  {error}")
    if find_browser():
        return
    advice = f"no browser found (looked for {', '.join(NAMES)}); install Chromium to run the browser tests"
    if os.environ.get("CI") == "true":
        raise SetupError(advice)
    console.say(f"  {advice}; they are skipped")
