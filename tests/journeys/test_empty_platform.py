"""The first minute: on a platform that holds nothing, every button that creates something opens its dialog or form."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Locator, Page, expect
from tests.journeys import site
from tests.journeys.people import Person

pytestmark = pytest.mark.browser

CREATES = re.compile(r"^(Add|Create|Make|Mine|New) ")
LISTS = {
    "/": "My work",
    "/datasets": "Datasets",
    "/models": "Models",
    "/pipelines": "Pipelines",
    "/mining": "Mining",
    "/backtests": "Back-tests",
    "/label": "Label",
    "/people": "People",
}


@pytest.fixture
def newcomer(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Person]:
    """The owner of a platform that was started a moment ago."""
    var = tmp_path_factory.mktemp("empty") / "var"
    fresh = site.start(var)
    context = browser.new_context(base_url=fresh.url, viewport={"width": 1440, "height": 900})
    yield Person.log_in(context, fresh.token)
    context.close()
    site.command(var, "down")


def test_every_create_button_of_an_empty_platform_opens_something(newcomer: Person) -> None:
    page = newcomer.page
    pressed: list[str] = []
    for address, title in LISTS.items():
        page.goto(f"/app{address}")
        expect(page.get_by_role("heading", level=1)).to_have_text(title)
        page.wait_for_load_state("networkidle")
        names = [control.inner_text().strip() for control in _controls(page)]
        for place, name in enumerate(names):
            _press(page, address, place)
            pressed.append(f"{address} {name}")
    assert not newcomer.faults, newcomer.faults
    assert {"/datasets Create a dataset", "/models New model…", "/pipelines New pipeline", "/label New queue"} <= set(
        pressed
    )
    assert {"/mining Mine samples", "/backtests New back-test", "/people Add a person"} <= set(pressed)


def _controls(page: Page) -> list[Locator]:
    main = page.get_by_role("main")
    return [each for role in ("button", "link") for each in main.get_by_role(role, name=CREATES).all()]


def _press(page: Page, address: str, place: int) -> None:
    """Press one of the page's create buttons: a dialog opens, or another page with a form or a list."""
    _controls(page)[place].click()
    dialog = page.get_by_role("dialog")
    page.wait_for_function(
        "address => document.querySelector('[role=dialog]') || location.pathname !== `/app${address}`",
        arg=address,
        timeout=10_000,
    )
    if dialog.count() > 0:
        expect(dialog).to_be_visible()
        page.keyboard.press("Escape")
        expect(dialog).to_have_count(0)
    else:
        expect(page.locator("main form, main table, main .message").first).to_be_visible()
        page.go_back()
        page.wait_for_load_state("networkidle")
