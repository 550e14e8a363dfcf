"""One platform for all journeys, a real Chromium, and people who have logged in."""

import os
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from embedded.setup.browser import find_browser
from motherlode.client import Motherlode
from tests.journeys import digits, site
from tests.journeys.digits import Digits
from tests.journeys.people import Open, Person
from tests.journeys.site import Site

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
             "--no-first-run", "--disable-dev-shm-usage"]  # fmt: skip
FAILED = pytest.StashKey[bool]()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Iterator[None]:
    """Remember that a test failed, so that the logs are printed when the platform stops."""
    report = yield
    if report.failed:  # type: ignore[attr-defined]  # pluggy types the wrapped result as None
        item.session.stash[FAILED] = True
    return report  # type: ignore[return-value]  # noqa: B901 - a hook wrapper returns what it was given


@pytest.fixture(scope="session")
def platform_site(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Iterator[Site]:
    """The whole embedded profile over an empty folder."""
    var = tmp_path_factory.mktemp("journeys") / "var"
    made = site.start(var)
    yield made
    site.command(var, "down")
    if request.session.stash.get(FAILED, False):
        for log in sorted((var / "log").glob("w*.log")):  # web and workers: the servers are not ours
            print(f"\n== the end of {log.name} ==\n", *log.read_text(errors="replace").splitlines(True)[-40:], sep="")


@pytest.fixture(scope="session")
def client(platform_site: Site) -> Iterator[Motherlode]:
    """The owner's client."""
    with platform_site.client() as made:
        yield made


@pytest.fixture(scope="session")
def small(client: Motherlode) -> Digits:
    """A dataset of real digits with a trained model."""
    loaded = digits.load(client, "small")
    digits.train(client, loaded)
    return loaded


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A headless Chromium of the machine."""
    program = find_browser()
    if program is None:
        if os.environ.get("CI") == "true":
            pytest.fail("no Chromium on PATH: in CI the browser journeys must run")
        pytest.skip("no Chromium on PATH")
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=program, args=ARGUMENTS)
        yield chromium
        chromium.close()


@pytest.fixture
def open_as(browser: Browser, platform_site: Site) -> Iterator[Open]:
    """Logs a person in through the login page, in a browser context of their own; at the end no page may have failed."""
    people: list[Person] = []

    def open_as(token: str = platform_site.token, **settings: object) -> Person:
        context: BrowserContext = browser.new_context(
            base_url=platform_site.url,
            viewport={"width": 1440, "height": 900},
            **settings,  # type: ignore[arg-type]  # passed through
        )
        people.append(Person.log_in(context, token))
        return people[-1]

    yield open_as
    faults = [fault for person in people for fault in person.faults]
    for person in people:
        person.page.context.close()
    assert not faults, faults


@pytest.fixture
def page(open_as: Open) -> Page:
    """The owner's page, logged in."""
    return open_as().page
