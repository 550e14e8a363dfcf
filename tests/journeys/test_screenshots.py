"""`make screenshots`: a picture of a page at each width, in both colour schemes."""

from pathlib import Path

import pytest
from bench.screenshots.__main__ import SCHEMES, SIZES, Album
from bench.screenshots.shots import Shot
from playwright.sync_api import Browser
from tests.journeys.site import Site

pytestmark = pytest.mark.browser


def test_pictures_are_taken_at_every_width(browser: Browser, platform_site: Site, tmp_path: Path) -> None:
    (tmp_path / "all").mkdir()
    home = Shot("home", "/app/", "#serving")
    Album(browser, tmp_path, only=None).fill(platform_site.url, platform_site.token, lambda _: [home])
    wanted = {f"home-{scheme}{suffix}.png" for scheme in SCHEMES for suffix in SIZES}
    assert {path.name for path in (tmp_path / "all").iterdir()} == wanted
