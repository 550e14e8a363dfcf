"""Mining, pipelines and back-tests in the browser: picks are mined, explained and queued; all pages are accessible."""

import re

import pytest
from playwright.sync_api import Page, expect
from tests.journeys import digits
from tests.journeys.axe import violations
from tests.journeys.digits import Digits
from tests.journeys.people import Open
from tests.journeys.picking import pick

from motherlode.client import Motherlode

pytestmark = pytest.mark.browser
MINED_MS = 120_000
COMPOSE = {"quotas": [{"class": "3", "min": 2}], "objectives": [{"name": "novelty", "strength": 0.5}]}


@pytest.fixture(scope="module")
def mined(client: Motherlode, small: Digits) -> int:
    """A mining job with constraints that has ended."""
    job = client.mining.create(small.name, model=f"{small.model}@1", strategy="margin", count=20, compose=COMPOSE)
    client.jobs.wait(job["job"]["id"], poll=0.1)
    return job["id"]


@pytest.fixture(scope="module")
def backtested(client: Motherlode, small: Digits) -> int:
    """A small back-test that has ended."""
    made = client.backtests.create(
        small.name,
        learner={"kind": "probe", "model": f"{small.model}@1"},
        strategies=["margin"],
        seeds=3,
        rounds=2,
        count=5,
        start=10,
        target=0.6,
    )
    client.jobs.wait(made["job"]["id"], poll=0.1)
    return made["id"]


def test_samples_are_mined_with_a_quota_and_sent_to_a_queue(page: Page, client: Motherlode, small: Digits) -> None:
    page.goto("/app/")
    page.get_by_role("navigation", name="Pages").get_by_role("link", name="Mining").click()
    page.get_by_role("link", name="Mine samples").first.click()
    pick(page.get_by_label("Dataset", exact=True), small.name)
    pick(page.get_by_label("Model", exact=True), small.model)
    page.get_by_label("Strategy", exact=True).select_option("k_center")
    page.get_by_label("Block").fill("many")
    expect(page.get_by_text("must be a whole number")).to_be_visible()
    page.get_by_role("button", name="Start mining").click()
    expect(page.get_by_label("Block")).to_be_focused()
    page.get_by_label("Block").fill("16")
    page.get_by_label("Picks").fill("12")
    page.get_by_text("Constraints and objectives").click()
    page.get_by_role("button", name="Add a quota").click()
    page.get_by_label("Name of quota 1").fill("7")
    page.get_by_label("Least of quota 1").fill("3")
    page.get_by_role("button", name="Start mining").click()

    picks = page.get_by_role("region", name="Picks").get_by_role("button")
    expect(picks).to_have_count(12, timeout=MINED_MS)
    job = client.mining.get(int(page.url.rpartition("/")[2]))
    assert job["strategy"] == {"name": "k_center", "params": {"block": 16}}
    assert job["compose"] == {"quotas": [{"class": "7", "min": 3}]}
    assert [pick["control"] for pick in client.mining.picks(job["id"])].count(True) == 1
    page.get_by_role("button", name="Send to a queue…").click()
    page.get_by_role("dialog").get_by_label("Name of the queue").fill("spread")
    page.get_by_role("dialog").get_by_role("button", name="Send").click()
    expect(page.get_by_role("img", name="Sample ")).to_be_visible()
    assert client.queues.get("spread")["counts"]["total"] == 12
    page.go_back()
    expect(page.get_by_role("link", name="Label them in spread")).to_be_visible()
    page.goto("/app/mining")
    page.get_by_label("Search jobs").fill("spread k center")
    expect(page.get_by_role("table", name="Mining jobs").get_by_role("row")).to_have_count(2)
    page.get_by_label("State").select_option("failed")
    expect(page.get_by_text("match the search")).to_be_visible()


def test_an_explanation_multiplies_up_and_shows_neighbours_and_the_runner_up(
    page: Page, client: Motherlode, mined: int
) -> None:
    page.goto(f"/app/mining/{mined}")
    expect(page.get_by_role("img", name=re.compile("of .* samples, from .* picked from"))).to_be_visible()
    page.get_by_role("button", name=re.compile("Pick 1 ")).first.click()
    why = page.get_by_role("dialog")
    told = client.mining.pick(mined, 1)
    expect(why.get_by_role("img", name=told["sample"]["key"])).to_have_js_property("naturalWidth", 32)
    terms = told["explanation"]["terms"]
    expect(why.get_by_role("row")).to_have_count(len(terms) + 2)
    product = 1.0
    for text in why.locator("tbody td:nth-of-type(2)").all_inner_texts():
        product *= float(text.removeprefix("× "))
    said = float(why.locator("tfoot td").nth(1).inner_text().removeprefix("= "))
    assert said == pytest.approx(product, rel=0.01)
    assert said == pytest.approx(told["score"], rel=0.01)
    expect(why.get_by_role("region", name="Nearest labelled").get_by_role("img").first).to_be_visible()
    expect(why.get_by_text("at least 2 samples of class 3")).to_be_visible()
    expect(why.get_by_text("Instead of")).to_be_visible()
    page.keyboard.press("ArrowRight")
    expect(why.get_by_role("heading", name="Why pick 2?")).to_be_visible()
    assert page.url.endswith("?pick=2")
    page.keyboard.press("Escape")
    expect(why).to_be_hidden()


def test_a_backtest_shows_curves_labels_to_its_target_and_the_paired_test(page: Page, backtested: int) -> None:
    page.goto("/app/backtests")
    page.get_by_role("row").filter(has_text="margin").get_by_role("link").click()
    expect(page.get_by_role("figure", name="Accuracy by number of labels")).to_be_visible()
    expect(page.get_by_role("region", name="Best strategy")).to_contain_text("random")
    expect(page.get_by_role("table", name="Labels that each strategy needed").get_by_role("row")).to_have_count(3)
    expect(page.get_by_role("table", name="Strategies by mean accuracy").get_by_role("row")).to_have_count(3)


def test_no_page_breaks_a_rule(open_as: Open, client: Motherlode, mined: int, backtested: int, small: Digits) -> None:
    digits.pipeline(client, small, "plain", count=5)
    page = open_as().page
    found = {}
    for path, ready in {
        "/app/mining": "tbody tr",
        "/app/mining/new": "form",
        f"/app/mining/{mined}": ".pick img",
        f"/app/mining/{mined}?pick=1": ".terms",
        "/app/pipelines": "tbody tr",
        "/app/pipelines/new": "form",
        "/app/pipelines/plain": "#settings",
        "/app/pipelines/plain/edit": "form",
        "/app/backtests": "tbody tr",
        "/app/backtests/new": "form",
        "/app/sweeps": ".empty, .message, h1",
        "/app/sweeps/new": "form",
        f"/app/backtests/{backtested}": ".curve canvas",
    }.items():
        page.goto(path)
        expect(page.locator(ready).first).to_be_visible()
        if path.startswith(("/app/mining/new", "/app/pipelines/new", "/app/pipelines/plain/edit")):
            expect(page.get_by_text("Constraints and objectives")).to_be_attached()
            page.evaluate("document.querySelectorAll('details.fold').forEach((fold) => { fold.open = true })")
            page.get_by_role("button", name="Add a quota").click()
            page.get_by_role("button", name="Add an objective").click()
        found[path] = violations(page)
    assert {where: faults for where, faults in found.items() if faults} == {}
