"""`make screenshots`. Without --url a platform of its own is started on an empty folder, and closes the loop first.
`ARGS="--many 120"` fills its lists too."""

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from bench.screenshots.many import crowd
from bench.screenshots.shots import Shot, annotators, owners
from bench.screenshots.site import ROOT, own_platform
from embedded.setup.browser import find_browser
from motherlode.access import find_token
from motherlode.client import Motherlode

OUT = ROOT / "docs" / "images"
KEPT = ("loop", "grid", "label", "diff")
"""The documentation shows these, wide; the rest lies in `all/`, which git ignores."""
SIZES = {"": (1440, 900), "-narrow": (1024, 768), "-phone": (390, 844)}
SCHEMES = ("light", "dark")
ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage"]
SETTLE_MS = 700  # thumbnails and the chart's first frame


def main() -> int:
    parser = argparse.ArgumentParser(prog="make screenshots")
    parser.add_argument("--url", help="a running platform; its token is MOTHERLODE_TOKEN or the one in var/token")
    parser.add_argument("--out", type=Path, default=OUT)
    parser.add_argument("--many", type=int, default=0, metavar="N", help="N more of everything that a list holds")
    parser.add_argument("--only", nargs="+", metavar="NAME", help="these pictures alone")
    options = parser.parse_args()
    program = find_browser()
    if program is None:
        print("No Chromium on PATH: install it to take pictures.")
        return 1
    (options.out / "all").mkdir(parents=True, exist_ok=True)
    with (
        sync_playwright() as playwright,
        closing(playwright.chromium.launch(executable_path=program, args=ARGUMENTS)) as browser,
    ):
        album = Album(browser, options.out, only=options.only)
        if options.url:
            album.fill(options.url, find_token(), owners)
        else:
            with own_platform() as site:
                if options.many:
                    with Motherlode(site.url, site.token) as client:
                        crowd(client, options.many)
                album.fill(site.url, site.token, owners)
                album.fill(site.url, site.annotator, annotators)
    return 0


@dataclass(frozen=True, slots=True)
class Album:
    """Where the pictures go."""

    browser: Browser
    out: Path
    only: Sequence[str] | None

    def fill(self, url: str, token: str, wanted: Callable[[Motherlode], list[Shot]]) -> None:
        """One PNG for each page, size and colour scheme, as the token's owner sees it."""
        with Motherlode(url, token) as client:
            shots = [shot for shot in wanted(client) if self.only is None or shot.name in self.only]
        for scheme in SCHEMES:
            for suffix, size in SIZES.items():
                with self._signed_in(url, token, scheme=scheme, size=size) as page:
                    for shot in shots:
                        folder = self.out if shot.name in KEPT and not suffix else self.out / "all"
                        take(page, shot, folder / f"{shot.name}-{scheme}{suffix}.png")

    @contextmanager
    def _signed_in(self, url: str, token: str, *, scheme: str, size: tuple[int, int]) -> Iterator[Page]:
        width, height = size
        context = self.browser.new_context(
            base_url=url,
            color_scheme="dark" if scheme == "dark" else "light",
            viewport={"width": width, "height": height},
            reduced_motion="reduce",
        )
        page = context.new_page()
        page.goto("/app/")
        page.get_by_label("Token").fill(token)
        page.keyboard.press("Enter")
        page.locator("#content").wait_for()  # at every width: a phone has its pages behind a button
        yield page
        context.close()


def take(page: Page, shot: Shot, path: Path) -> None:
    """One picture of what a person sees without scrolling."""
    page.goto(shot.path)
    page.locator(shot.ready).first.wait_for()
    page.wait_for_timeout(SETTLE_MS)
    for focus, key in shot.presses:
        page.locator(focus).first.press(key)
        page.wait_for_timeout(SETTLE_MS)
    page.screenshot(path=path)
    print(f"  {path}  {path.stat().st_size // 1000} kB")


if __name__ == "__main__":
    sys.exit(main())
