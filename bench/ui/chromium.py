"""A headless Chromium with a page of the owner's, and what it says of its own work."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import CDPSession, Page, sync_playwright

from bench.versioning.site import Site
from embedded.setup.browser import find_browser

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-dev-shm-usage"]
WIDE = {"width": 1440, "height": 900}
FRAMES = """
() => {
  window.frames_ = []
  window.framing_ = true
  const look = (now) => { window.frames_.push(now); if (window.framing_) requestAnimationFrame(look) }
  requestAnimationFrame(look)
}
"""
INTERVALS = """
() => { window.framing_ = false; const at = window.frames_; return at.slice(1).map((now, place) => now - at[place]) }
"""


@dataclass(frozen=True, slots=True)
class Meter:
    """Chromium's own account of a page's main thread: seconds of CPU, which a busy machine does not lengthen."""

    page: Page
    session: CDPSession

    def busy(self) -> float:
        """Milliseconds of CPU that tasks of the main thread have taken so far."""
        metrics = {one["name"]: one["value"] for one in self.session.send("Performance.getMetrics")["metrics"]}
        return 1000 * float(metrics["TaskDuration"])

    def start_frames(self) -> None:
        """From now on the time of every frame is noted."""
        self.page.evaluate(FRAMES)

    def frames(self) -> list[float]:
        """Milliseconds between one frame and the next since `start_frames`."""
        intervals: list[float] = self.page.evaluate(INTERVALS)
        return intervals


@contextmanager
def signed_in(site: Site) -> Iterator[Meter]:
    """A page of the owner's. Raises SystemExit where there is no Chromium."""
    program = find_browser()
    if program is None:
        raise SystemExit("No Chromium on PATH: install it to measure the web application.")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        print(f"{Path(program).name} {browser.version}")
        page = browser.new_page(base_url=site.url, viewport=WIDE)  # type: ignore[arg-type]  # a ViewportSize is a dict
        page.goto("/app/")
        page.get_by_label("Token").fill(site.token)
        page.keyboard.press("Enter")
        page.get_by_role("navigation", name="Pages").wait_for()
        session = page.context.new_cdp_session(page)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})
        yield Meter(page, session)
        browser.close()
