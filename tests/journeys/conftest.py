"""One platform for all journeys, a real Chromium, and people who have logged in."""

import os
from collections.abc import Generator, Iterator

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, StorageState, expect, sync_playwright
from tests.journeys import digits, site
from tests.journeys.digits import Digits
from tests.journeys.people import Open, Person
from tests.journeys.site import Site

from embedded.setup.browser import find_browser
from motherlode.client import Motherlode

ARGUMENTS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update",
             "--no-first-run", "--disable-dev-shm-usage"]  # fmt: skip
LOGS = ("web", "worker-compute", "worker-light", "worker-clock")
# A busy machine is slow, and what comes late is no fault.
expect.set_options(timeout=60_000)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Function,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A journey that failed shows what the platform said meanwhile."""
    report = yield
    found = item.funcargs.get("platform_site")
    if report.failed and isinstance(found, Site):
        report.sections += [(f"the end of {name}.log", found.log(name)) for name in LOGS]
    return report


@pytest.fixture(scope="session")
def platform_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The whole embedded profile over an empty folder."""
    var = tmp_path_factory.mktemp("journeys") / "var"
    made = site.start(var)
    yield made
    site.command(var, "down")


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


@pytest.fixture(scope="session")
def signed_in() -> dict[str, StorageState]:
    """By token: the cookies of somebody who has signed in already."""
    return {}


@pytest.fixture
def open_as(browser: Browser, platform_site: Site, signed_in: dict[str, StorageState]) -> Iterator[Open]:
    """Gives a person a page in a context of their own, signed in; at the end no page may have failed."""
    people: list[Person] = []

    def open_as(token: str = platform_site.token, *, phone: bool = False) -> Person:
        context: BrowserContext = browser.new_context(
            base_url=platform_site.url,
            viewport={"width": 390, "height": 844} if phone else {"width": 1440, "height": 900},
            has_touch=phone,
            is_mobile=phone,
            storage_state=signed_in.get(token),
        )
        if token not in signed_in:
            assert context.request.post("/session", data={"token": token}).ok
            signed_in[token] = context.storage_state()
        people.append(Person(context.new_page()))
        return people[-1]

    yield open_as
    faults = [fault for person in people for fault in person.faults]
    for person in people:
        person.page.context.close()
    assert not faults, faults


@pytest.fixture
def page(open_as: Open) -> Page:
    """The owner's page, signed in."""
    return open_as().page
