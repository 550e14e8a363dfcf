"""Every page at three widths, whatever things are called: it ends where its content does, nothing sticks out of it, and
it has one scroll bar."""

import re
from threading import Event

import pytest
from playwright.sync_api import Page, Route, expect
from tests.journeys import labellers
from tests.journeys.digits import Digits
from tests.journeys.layout import WIDTHS, faults, wait_until_read
from tests.journeys.picking import pick
from tests.journeys.site import Site

from motherlode.client import Motherlode

pytestmark = pytest.mark.browser


def test_every_page_ends_where_its_content_does(
    page: Page, client: Motherlode, small: Digits, platform_site: Site
) -> None:
    labellers.disputed(platform_site, small, "laid-out")
    job = client.mining.create(small.name, model=f"{small.model}@1", strategy="margin", count=40, control=0.1, seed=5)
    client.jobs.wait(job["job"]["id"], poll=0.1)
    long, person = "n" * 100, "p" * 150
    client.datasets.create(long, classes=["a"])
    client.people.add(person, role="annotator")
    data, model = f"/datasets/{small.name}", f"/models/{small.model}"
    lists = (
        "/",
        "/datasets",
        "/models",
        "/encoders",
        "/pipelines",
        "/mining",
        "/backtests",
        "/sweeps",
        "/planner",
        "/planner?example=automotive-125-cars&with=target_days:7",
        "/runs",
        "/jobs",
        "/label",
        "/review",
        "/people",
    )
    forms = ("/datasets/new", "/pipelines/new", "/mining/new", "/backtests/new", "/sweeps/new", "/settings",
             "/settings/keys")  # fmt: skip
    others = (
        data,
        f"{data}/versions",
        f"{data}/map",
        f"{data}/lake",
        f"{data}/diff?from=1&to=5",
        f"{data}/classes",
        model,
        f"{model}/1",
        f"{model}/1/outcomes?kind=missed&threshold=0.9",
        f"/datasets/{long}/versions",
        f"/datasets/{long}/classes",
    )
    rows = (
        "/runs/1",
        f"/mining/{job['id']}",
        "/jobs/1",
        f"/jobs/{client.runs.get(1)['job']['id']}",
        "/review/laid-out",
        "/label/laid-out",
        "/loop",
        "/team",
        "/workers",
    )
    found: dict[str, list[str]] = {}
    for path in (*lists, *forms, *others, *rows):
        page.goto(f"/app{path}")
        wait_until_read(page)
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            found[f"{path} at {width}"] = faults(page)
    assert {where: what for where, what in found.items() if what} == {}
    page.set_viewport_size({"width": 1440, "height": 900})
    page.goto("/app/people")
    expect(page.get_by_role("button", name=re.compile(f"^Deactivate {person}"))).to_be_in_viewport()


LATE = ("**/architectures", "**/recommended-architecture", "**/runs/forecast", "**/strategies")


@pytest.mark.parametrize("width", WIDTHS)
def test_fields_and_forecasts_that_come_late_do_not_move_the_button(page: Page, small: Digits, width: int) -> None:
    """Or it is gone from under the pointer of somebody who presses it."""
    page.set_viewport_size({"width": width, "height": 900})
    held: list[Route] = []
    late = Event()

    def hold(route: Route) -> None:
        if late.is_set():
            route.continue_()
        else:
            held.append(route)

    for address in LATE:
        page.route(address, hold)
    page.goto("/app/pipelines/new")
    button = page.get_by_role("button", name="Create the pipeline")
    expect(button).to_be_in_viewport()
    before = button.bounding_box()
    pick(page.get_by_label("Dataset"), small.name)
    expect(page.get_by_text("Looking at its images")).to_be_visible()
    assert button.bounding_box() == before
    late.set()
    for one in held:
        one.continue_()
    expect(page.get_by_text("once cross-validation shows")).to_be_visible()
    expect(page.get_by_label("Epochs", exact=True)).to_be_visible()
    expect(page.get_by_text("on this machine (")).to_be_visible()
    assert button.bounding_box() == before
