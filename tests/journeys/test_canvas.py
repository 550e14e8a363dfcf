"""Boxes and polygons drawn, corrected and submitted by mouse and by keyboard end as exactly these labels."""

from typing import Any

import pytest
from playwright.sync_api import expect
from tests.journeys import layout, scenes
from tests.journeys.axe import violations
from tests.journeys.canvas import Canvas
from tests.journeys.fingers import Fingers
from tests.journeys.people import Open
from tests.journeys.site import Site

from motherlode.client import Motherlode

pytestmark = pytest.mark.browser

BOXES: list[dict[str, Any]] = [
    {"class": "roof", "box": [20.5, 30, 120, 90], "score": 0.97},
    {"class": "tree", "box": [150, 100, 260.25, 200], "score": 0.54},
    {"class": "flower", "box": [30, 150, 90, 220], "score": 0.31},
]
SUGGESTED = {"model": "scenes-detector@1", "boxes": BOXES}
AROUND = {"class": "roof", "box": [2, 2, 318, 238], "score": 0.99}
# What can be pressed and is too small for a finger.
NARROW = """() => [...document.querySelectorAll('.workspace :is(button, input, a)')]
  .filter((each) => each.offsetParent && !each.closest('.workspace-head'))
  .map((each) => ({ name: each.textContent || each.ariaLabel, ...each.getBoundingClientRect().toJSON() }))
  .filter(({ width, height }) => width < 44 || height < 44)"""


@pytest.fixture(scope="module")
def photographs(client: Motherlode) -> str:
    """A dataset of unlabelled parts of photographs."""
    scenes.load(client, "photographs")
    return "photographs"


def labels(client: Motherlode, queue: str) -> dict[str, Any]:
    """What the dataset says of the samples after the queue's answers were committed."""
    committed = client.queues.commit(queue, partial=True)
    dataset = client.queues.get(queue)["dataset"]
    return {one["key"]: one["label"] for one in client.datasets.samples(dataset, committed["version"] or "head")}


def test_boxes_are_drawn_nested_corrected_and_taken_back_by_mouse(
    open_as: Open, client: Motherlode, platform_site: Site, photographs: str
) -> None:
    queue = scenes.queue(platform_site, photographs, "by-mouse", [SUGGESTED, None])
    canvas = Canvas.open(open_as(), queue)
    page = canvas.page
    first = canvas.person.shown()
    assert canvas.shapes() == ["flower 0.31 ? model", "tree 0.54 ? model", "roof 0.97 ? model"]
    canvas.drag((90, 220), (100, 230))  # the corner of the least sure, which is selected: corrected, so confirmed
    expect(page.get_by_role("heading", name="Shapes 1/3 confirmed")).to_be_visible()
    canvas.click((205, 150))
    canvas.press("1")  # the tree is a roof: one key corrects it, and goes on
    canvas.press("x")  # the surest one is wrong: the next suggestion after it would be shown
    page.get_by_role("button", name="Box", exact=False).first.click()
    canvas.drag((100, 20), (300, 220))
    canvas.drag((120, 40), (160, 60))  # inside the other, and no popup asks anything
    canvas.click((200, 60), (240, 100))  # two clicks do as well
    canvas.press("2")
    canvas.press("Control+z", "Control+z")  # the class, then the box; the next one has the class that was chosen last
    canvas.click((170, 70), (230, 95))
    canvas.submit()
    second = canvas.person.shown()
    canvas.submit()  # nothing to see on it
    canvas.person.wait_until_saved()
    assert labels(client, queue)[first] == {
        "boxes": [
            {"class": "roof", "box": [150, 100, 260.25, 200]},
            {"class": "flower", "box": [30, 150, 100, 230]},
            {"class": "roof", "box": [100, 20, 300, 220]},
            {"class": "roof", "box": [120, 40, 160, 60]},
            {"class": "flower", "box": [170, 70, 230, 95]},
        ]
    }
    assert labels(client, queue)[second] == {"boxes": []}


def test_boxes_are_drawn_corrected_and_submitted_by_keyboard_alone(
    open_as: Open, client: Motherlode, platform_site: Site, photographs: str
) -> None:
    queue = scenes.queue(platform_site, photographs, "by-keyboard", [SUGGESTED, None, None])
    canvas = Canvas.open(open_as(), queue)
    page = canvas.page
    first = canvas.person.shown()
    canvas.press("a")  # the flower is right; the tree is shown
    canvas.press("ArrowRight", "Shift+ArrowDown", "Alt+ArrowRight")
    assert canvas.corners() == [151, 110, 262.25, 210]
    canvas.press("j", "x")  # the roof is wrong
    canvas.press("r", *["Shift+ArrowLeft"] * 10, "Enter")
    canvas.press(*["Shift+ArrowRight"] * 3, "ArrowDown", *["Shift+ArrowDown"] * 4, "Enter")
    canvas.press("3", "v", "Control+d")
    canvas.submit()
    second = canvas.person.shown()
    canvas.press("Control+Shift+v", "1")  # all of the image before; the last one with another class
    canvas.submit()
    third = canvas.person.shown()
    canvas.press("Tab")
    expect(page.get_by_role("application")).not_to_be_focused()  # the drawing lets go of the focus
    page.get_by_role("button", name="Add a box").press("Enter")
    for name, number in {"Right": "200", "Left": "7.5", "Top": "0", "Bottom": "999"}.items():
        page.get_by_label(name, exact=True).fill(number)
        page.get_by_label(name, exact=True).press("Enter")
    expect(page.get_by_label("Bottom", exact=True)).to_have_value("240")  # the image ends there
    page.get_by_role("button", name="Submit").press("Enter")
    canvas.person.wait_until_saved()
    written = labels(client, queue)
    kept = [
        {"class": "tree", "box": [151, 110, 262.25, 210]},
        {"class": "flower", "box": [30, 150, 90, 220]},
        {"class": "tree", "box": [60, 120, 90, 161]},
        {"class": "tree", "box": [70, 130, 100, 171]},
    ]
    assert written[first] == {"boxes": kept}
    assert written[second] == {"boxes": [*kept[:3], kept[3] | {"class": "roof"}]}
    assert written[third] == {"boxes": [{"class": "roof", "box": [7.5, 0, 200, 240]}]}


def test_a_polygon_is_drawn_and_its_points_moved_added_and_taken_away(
    open_as: Open, client: Motherlode, platform_site: Site, photographs: str
) -> None:
    queue = scenes.queue(platform_site, photographs, "outlines", [None, None], kind="polygons")
    canvas = Canvas.open(open_as(), queue)
    first = canvas.person.shown()
    canvas.press("n")  # this queue asks for polygons: its drawing tool
    canvas.click((40, 40), (140, 40), (140, 120), (90, 90))
    canvas.press("Backspace")
    canvas.click((40, 120), (40, 40))  # the last click closes it
    canvas.press("v")
    canvas.click((90, 80))
    canvas.drag((140, 40), (180, 20))
    canvas.drag((90, 120), (90, 160))  # a side: a new point
    canvas.click((40, 120))
    canvas.press("x")
    assert canvas.fields("Point 3, x", "Point 3, y") == [140, 120]
    canvas.press("e")
    canvas.click((250, 30), (300, 60), (260, 90), (220, 50))
    canvas.submit()
    second = canvas.person.shown()
    canvas.press("p", "Enter", *["Shift+ArrowRight"] * 4, "Enter", *["Shift+ArrowDown"] * 3, "Enter", "Enter")
    canvas.submit()
    canvas.person.wait_until_saved()
    written = labels(client, queue)
    assert written[first] == {
        "boxes": [{"class": "roof", "box": [220, 30, 300, 90]}],
        "polygons": [{"class": "roof", "points": [[40, 40], [180, 20], [140, 120], [90, 160]]}],
    }
    assert written[second] == {
        "boxes": [],
        "polygons": [{"class": "roof", "points": [[160, 120], [200, 120], [200, 150]]}],
    }


def test_three_boxes_are_selected_by_a_marquee_renamed_moved_and_submitted_together(
    open_as: Open, client: Motherlode, platform_site: Site, photographs: str
) -> None:
    queue = scenes.queue(platform_site, photographs, "by-marquee", [SUGGESTED | {"boxes": [*BOXES, AROUND]}])
    canvas = Canvas.open(open_as(), queue)
    page = canvas.page
    first = canvas.person.shown()
    selected = page.get_by_role("heading", name="3 shapes selected")
    canvas.marquee((300, 20), (60, 180))  # parts of three; the fourth is around the rectangle
    expect(selected).to_be_visible()
    canvas.press("2")
    expect(page.get_by_role("heading", name="Shapes 3/4 confirmed")).to_be_visible()
    canvas.drag((120, 60), (420, 70))  # as far as the image's edge
    canvas.press("Shift+ArrowLeft", "x")
    assert canvas.shapes() == ["roof 0.99 ? model"]
    canvas.press("Control+z", "Control+z")  # what was deleted, then the ten pixels
    assert canvas.shapes() == ["flower 0.31 ✓ ok", "flower 0.54 ✓ ok", "flower 0.97 ✓ ok", "roof 0.99 ? model"]
    canvas.press("Control+a", "a")
    expect(page.get_by_role("heading", name="Shapes 4 shapes")).to_be_visible()
    canvas.submit()
    canvas.person.wait_until_saved()
    assert labels(client, queue)[first] == {
        "boxes": [
            {"class": "flower", "box": [80.25, 40, 179.75, 100]},
            {"class": "flower", "box": [209.75, 110, 320, 210]},
            {"class": "flower", "box": [89.75, 160, 149.75, 230]},
            {"class": "roof", "box": [2, 2, 318, 238]},
        ]
    }


def test_fingers_draw_zoom_and_select_several(
    open_as: Open, client: Motherlode, platform_site: Site, photographs: str
) -> None:
    queue = scenes.queue(platform_site, photographs, "by-finger", [SUGGESTED])
    canvas = Canvas.open(open_as(phone=True), queue)
    page, fingers = canvas.page, Fingers.of(canvas)
    first = canvas.person.shown()
    assert page.evaluate(NARROW) == []
    width = canvas.shown_width()
    fingers.pinch(((140, 110), (180, 110)), ((100, 110), (220, 110)))
    canvas.wait_for_width(3 * width)
    page.get_by_role("button", name="Zoom to the shape or fit").tap()
    canvas.wait_for_width(width)
    fingers.hold((70, 30))  # the roof's upper side
    expect(page.get_by_role("button", name="Select several")).to_have_attribute("aria-pressed", "true")
    fingers.tap((200, 100))
    expect(page.get_by_role("heading", name="3 shapes selected")).to_be_visible()  # the least sure was before
    fingers.drag((200, 100), (210, 90))
    expect(page.get_by_role("heading", name="Shapes 3 shapes")).to_be_visible()
    page.get_by_role("button", name="Box (R)").tap()
    fingers.drag((270, 20), (310, 60))
    expect(page.get_by_role("heading", name="Shapes 4 shapes")).to_be_visible()
    assert violations(page) == []
    page.get_by_role("button", name="Submit").tap()
    canvas.person.wait_until_saved()
    boxes = labels(client, queue)[first]["boxes"]
    assert [box["class"] for box in boxes] == ["roof", "tree", "flower", "roof"]
    moved = [was - now for was, now in zip(BOXES[1]["box"], boxes[1]["box"], strict=True)]
    assert moved == pytest.approx([-10, 10, -10, 10], abs=1.5)  # a finger is put on whole pixels of the screen
    assert boxes[3]["box"] == pytest.approx([270, 20, 310, 60], abs=1.5)


def test_the_tools_fit_every_width(open_as: Open, platform_site: Site, photographs: str) -> None:
    queue = scenes.queue(platform_site, photographs, "narrow", [None])
    page = Canvas.open(open_as(), queue).page
    for width in layout.WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        assert (width, layout.faults(page)) == (width, [])
        expect(page.get_by_role("button", name="Hide shapes")).to_be_in_viewport()


def test_what_is_undecided_is_asked_about_once_and_what_is_drawn_survives_a_reload(
    open_as: Open, client: Motherlode, platform_site: Site, photographs: str
) -> None:
    queue = scenes.queue(platform_site, photographs, "undecided", [SUGGESTED, None], threshold=0.9)
    canvas = Canvas.open(open_as(), queue)
    page = canvas.page
    first = canvas.person.shown()
    canvas.press("Shift+A")
    expect(page.get_by_role("heading", name="Shapes 1/3 confirmed")).to_be_visible()  # one is as sure as the lead asks
    canvas.press("r")
    canvas.drag((5, 5), (25, 25))
    page.reload()
    expect(page.get_by_role("heading", name="Shapes 2/4 confirmed")).to_be_visible()
    expect(page.get_by_role("application")).to_be_focused()
    canvas.press("Control+Enter")
    expect(page.get_by_role("alert")).to_contain_text("2 suggestions are not decided")
    assert canvas.person.shown() == first
    canvas.submit()
    canvas.press("Control+z")  # nothing to undo here: the image before comes back, with what was said of it
    expect(page.get_by_role("img", name=f"Sample {first}")).to_be_visible()
    assert canvas.shapes() == ["roof ✓ ok", "roof ✓ ok"]
    canvas.submit()
    canvas.person.wait_until_saved()
    boxes = [{"class": "roof", "box": [20.5, 30, 120, 90]}, {"class": "roof", "box": [5, 5, 25, 25]}]
    assert labels(client, queue)[first] == {"boxes": boxes}


def test_no_state_of_the_drawing_breaks_a_rule(open_as: Open, platform_site: Site, photographs: str) -> None:
    queue = scenes.queue(platform_site, photographs, "rules", [SUGGESTED], threshold=0.5)
    canvas = Canvas.open(open_as(), queue)
    page = canvas.page
    found = {"suggested": violations(page)}
    canvas.press("Control+Enter")
    found["undecided"] = violations(page)
    canvas.press("p")
    canvas.click((40, 40), (140, 40), (140, 120), (40, 40))
    found["polygon"] = violations(page)
    canvas.press("Control+a")
    expect(page.get_by_role("heading", name="4 shapes selected")).to_be_visible()
    found["several"] = violations(page)
    canvas.press("Shift+H")
    expect(page.get_by_text("4 shapes hidden")).to_be_visible()
    found["hidden"] = violations(page)
    for key, name in {"?": "Keys", "f": "Flag for review", "Shift+S": "Skip, because…"}.items():
        canvas.press(key)
        expect(page.get_by_role("dialog", name=name)).to_be_visible()
        found[name] = violations(page)
        canvas.press("Escape")
        expect(page.get_by_role("dialog")).to_be_hidden()
    assert {where: faults for where, faults in found.items() if faults} == {}
