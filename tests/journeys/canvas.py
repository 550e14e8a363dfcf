"""A person at a drawing: pointer positions in pixels of the image, and what the page says of the shapes."""

from collections.abc import Sequence
from dataclasses import dataclass

from playwright.sync_api import Page, expect
from tests.journeys.people import Person

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Canvas:
    """The drawing on a person's page."""

    person: Person

    @classmethod
    def open(cls, person: Person, queue: str) -> "Canvas":
        person.sit_down(queue)
        canvas = cls(person)
        expect(canvas.page.get_by_role("application")).to_be_focused()
        return canvas

    @property
    def page(self) -> Page:
        return self.person.page

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    def marquee(self, start: Point, end: Point) -> None:
        """Drag with Shift."""
        self.page.keyboard.down("Shift")
        self.drag(start, end)
        self.page.keyboard.up("Shift")

    def drag(self, start: Point, end: Point) -> None:
        """Press at one point of the image, let go at another."""
        mouse = self.page.mouse
        mouse.move(*self.on_page(start))
        mouse.down()
        mouse.move(*self.on_page(((start[0] + end[0]) / 2, (start[1] + end[1]) / 2)))
        mouse.move(*self.on_page(end))
        mouse.up()

    def click(self, *points: Point) -> None:
        for point in points:
            self.page.mouse.click(*self.on_page(point))

    def shapes(self) -> list[str]:
        """The rows of the list of shapes, as they are read."""
        rows = self.page.get_by_role("list", name="Shapes").locator("li").all_inner_texts()
        return [" ".join(row.split()) for row in rows]

    def submit(self) -> None:
        """Submit the image, and wait until another one stands there, or none."""
        self.person.press("Control+Enter")

    def fields(self, *names: str) -> list[float]:
        return [float(self.page.get_by_label(name, exact=True).input_value()) for name in names]

    def corners(self) -> Sequence[float]:
        """Of the selected box, as its fields have them."""
        return self.fields("Left", "Top", "Right", "Bottom")

    def shown_width(self) -> float:
        """Of the image, in pixels of the screen."""
        shown = self.page.locator(".stage img").bounding_box()
        assert shown is not None
        return shown["width"]

    def wait_for_width(self, width: float, *, share: float = 0.02) -> None:
        """Until the image is as wide on the screen, give or take a `share`: a tap is a click only a moment later."""
        self.page.wait_for_function(
            "([width, share]) => Math.abs("
            "document.querySelector('.stage img').getBoundingClientRect().width / width - 1) <= share",
            arg=[width, share],
        )

    def on_page(self, point: Point) -> Point:
        """Where a point of the image is on the page just now."""
        shown = self.page.locator(".stage img").bounding_box()
        width = self.page.locator(".stage img").get_attribute("width")
        assert shown is not None
        assert width is not None
        scale = shown["width"] / float(width)
        return shown["x"] + point[0] * scale, shown["y"] + point[1] * scale
