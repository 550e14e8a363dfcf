"""The rules of WCAG 2.2 that a program can check, on a page as it stands."""

from typing import Any

from playwright.sync_api import Page
from tests.journeys.site import ROOT

PROGRAM = ROOT / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
SETTLED = """() => Promise.allSettled(document.getAnimations()
    .filter(({ effect }) => effect?.getComputedTiming().iterations !== Infinity).map(({ finished }) => finished))"""


def violations(page: Page) -> list[str]:
    """Theme, rule and element of each violation of A or AA, in light and in dark."""
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(PROGRAM.read_text(encoding="utf-8"))
    found = []
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        page.evaluate(SETTLED)
        result: dict[str, Any] = page.evaluate("rules => axe.run({runOnly: rules})", RULES)
        assert result["passes"], "axe looked at nothing"
        found += [
            f"{scheme}, {fault['id']}: {node['html'][:200]}"
            for fault in result["violations"]
            for node in fault["nodes"]
        ]
    return found
