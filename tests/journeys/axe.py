"""The rules of WCAG 2.2 that a program can check, on a page as it stands."""

import functools
from collections.abc import Sequence
from typing import Any, Literal

from playwright.sync_api import Page
from tests.journeys.site import ROOT

PROGRAM = ROOT / "frontend" / "node_modules" / "axe-core" / "axe.min.js"
RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
OF_COLOUR = ["color-contrast", "link-in-text-block"]  # all that another theme changes
SETTLED = """() => Promise.allSettled(document.getAnimations()
    .filter(({ effect }) => effect?.getComputedTiming().iterations !== Infinity).map(({ finished }) => finished))"""


@functools.cache
def _program() -> str:
    return PROGRAM.read_text(encoding="utf-8")


def violations(page: Page) -> list[str]:
    """Theme, rule and element of each violation of A or AA, in light and in dark."""
    if not page.evaluate("() => 'axe' in window"):
        page.evaluate(_program())
    found = []
    themes: Sequence[tuple[Literal["dark", "light"], list[str]]] = (("dark", RULES), ("light", OF_COLOUR))
    for scheme, rules in themes:
        page.emulate_media(color_scheme=scheme)
        page.evaluate(SETTLED)
        # Only what is asked for comes back: what passes is a list as long as the page.
        run = "rules => axe.run({runOnly: rules, resultTypes: ['violations']})"
        result: dict[str, Any] = page.evaluate(run, rules)
        assert result["passes"], "axe looked at nothing"
        found += [
            f"{scheme}, {fault['id']}: {node['html'][:200]}"
            for fault in result["violations"]
            for node in fault["nodes"]
        ]
    return found
