"""Nothing that an annotator says is lost or counted twice, whatever the network, the page or the server does."""

import pytest
from playwright.sync_api import Route, expect
from tests.journeys import digits, labellers
from tests.journeys.digits import Digits
from tests.journeys.people import Open
from tests.journeys.site import Site
from tests.laws import FULL

from motherlode.client import Motherlode

pytestmark = pytest.mark.browser


def right_once(truth: Digits, keys: list[str]) -> dict[str, list[str]]:
    """What stands when each of `keys` was answered rightly and once."""
    return {key: [truth.truth[key]] for key in keys}


def test_answers_given_offline_wait_on_the_computer_and_follow_once_it_is_online_again(
    open_as: Open, client: Motherlode, small: Digits, platform_site: Site
) -> None:
    queue = digits.queue(client, small, "offline", count=12)
    person = open_as()
    person.sit_down(queue)
    keys = person.label(small.truth, count=2)
    person.wait_until_saved()
    person.page.context.set_offline(True)
    keys += person.label(small.truth, count=5)
    expect(person.page.get_by_text("Offline — 5 labels kept on this computer, retrying")).to_be_visible()
    assert client.queues.get(queue)["counts"]["done"] == 2
    person.page.context.set_offline(False)
    person.wait_until_saved()
    keys += person.label(small.truth, count=5)
    person.wait_until_saved()
    assert len(set(keys)) == 12
    assert client.queues.get(queue)["state"] == "complete"
    assert platform_site.answers(queue) == right_once(small, keys)


def test_unsent_answers_survive_a_reload_of_the_page(
    open_as: Open, client: Motherlode, small: Digits, platform_site: Site
) -> None:
    queue = digits.queue(client, small, "reload", count=10)
    person = open_as()
    person.sit_down(queue)

    def lose(route: Route) -> None:
        route.abort()

    person.page.route("**/answer", lose)
    keys = person.label(small.truth, count=3)
    expect(person.page.get_by_text("3 labels kept on this computer")).to_be_visible()
    person.page.reload()
    keys += person.label(small.truth, count=3)
    assert len(set(keys)) == 6  # what waits to be sent is not asked again
    person.page.unroute("**/answer", lose)
    person.page.reload()
    keys += person.label(small.truth, count=4)
    person.wait_until_saved()
    assert client.queues.get(queue)["state"] == "complete"
    assert platform_site.answers(queue) == right_once(small, keys)


def test_labelling_goes_on_while_the_web_server_is_killed_and_started_again(
    open_as: Open, client: Motherlode, small: Digits, platform_site: Site
) -> None:
    kills = 2 if FULL else 1
    count = 9 * kills + 2
    queue = digits.queue(client, small, "killed", count=count)
    person = open_as()
    person.sit_down(queue)
    keys: list[str] = []
    for _ in range(kills):
        keys += person.label(small.truth, count=6)
        killed = platform_site.kill("web")  # with luck in the middle of an answer
        keys += person.label(small.truth, count=3)
        platform_site.wait_for_restart("web", killed=killed)
    keys += person.label(small.truth, count=2)
    person.wait_until_saved()
    assert client.queues.get(queue)["counts"] == {"total": count, "todo": 0, "leased": 0, "done": count, "skipped": 0}
    assert platform_site.answers(queue) == right_once(small, keys)


def test_two_annotators_at_one_queue_never_see_the_same_image(
    open_as: Open, client: Motherlode, small: Digits, platform_site: Site
) -> None:
    queue = digits.queue(client, small, "together", count=12)
    people = [open_as(), open_as(platform_site.add_user("ana"))]
    seen: list[list[str]] = [[], []]
    for person in people:
        person.sit_down(queue)
    while sum(map(len, seen)) < 12:
        for person, keys in zip(people, seen, strict=True):
            if person.page.locator(".stage img").is_visible():
                keys += person.label(small.truth, count=1)
    for person in people:
        person.wait_until_saved()
    assert min(map(len, seen)) >= 4
    assert not set(seen[0]) & set(seen[1])
    assert platform_site.answers(queue) == right_once(small, seen[0] + seen[1])
    expect(people[0].page.get_by_role("heading", name="All 12 are done")).to_be_visible(timeout=30_000)
    people[0].page.get_by_role("button", name="Commit 12 labels").click()
    expect(people[0].page.get_by_role("heading", name="Committed as version")).to_be_visible()


def test_the_last_of_two_answers_from_two_browsers_counts(
    open_as: Open, client: Motherlode, small: Digits, platform_site: Site
) -> None:
    queue = digits.queue(client, small, "tabs", count=4)
    one = open_as()
    one.sit_down(queue)
    other = open_as().page
    other.goto(f"/app/label/{queue}")
    expect(other.locator(".stage img")).to_be_visible()
    key = one.shown()
    one.press("1")
    one.wait_until_saved()
    other.keyboard.press("2")
    expect(other.get_by_text("All saved")).to_be_visible()
    expect(other.get_by_text("opinion")).to_have_count(0)
    assert platform_site.answers(queue)[key] == ["2"]
    second = one.page.context.new_page()
    second.goto(f"/app/label/{queue}")
    expect(second.get_by_text("in another tab of this browser")).to_be_visible()
    second.get_by_role("button", name="Label here instead").click()
    expect(second.locator(".stage img")).to_be_visible()
    expect(one.page.get_by_text("in another tab of this browser")).to_be_visible()


def test_who_has_answered_all_is_told_what_waits_for_whom_and_the_next_person_goes_on_by_themselves(
    open_as: Open, client: Motherlode, small: Digits, platform_site: Site
) -> None:
    keys = [key for key in small.truth if key.startswith("pool")][:3]
    queue = str(labellers.make_queue(platform_site, "twice", small.name, keys, answers_per_task=2))
    ana, ben = open_as(), open_as(platform_site.add_user("ben"))
    ana.sit_down(queue)
    ben.page.goto(f"/app/label/{queue}")
    expect(ben.page.get_by_text("3 leased by others")).to_be_visible()
    ana.label(small.truth, count=3)
    expect(ana.page.get_by_text("3 images wait for answers from others")).to_be_visible()
    expect(ana.page.get_by_text("min left")).to_have_count(0)
    expect(ben.page.locator(".stage img")).to_be_visible(timeout=8_000)
