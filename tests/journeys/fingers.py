"""Fingers on a drawing or a map, as Chromium is told of them; places are in pixels of the image, or of the map."""

from dataclasses import dataclass
from typing import Literal, Protocol

from playwright.sync_api import CDPSession, Page
from tests.journeys.canvas import Point

STEPS = 5
HELD_MS = 700  # longer than the page takes for a long press


class Surface(Protocol):
    """What fingers touch."""

    @property
    def page(self) -> Page: ...

    def on_page(self, point: Point) -> Point: ...


@dataclass(frozen=True, slots=True)
class Fingers:
    """One or two fingers of the person at the drawing."""

    canvas: Surface
    session: CDPSession

    @classmethod
    def of(cls, canvas: Surface) -> "Fingers":
        return cls(canvas, canvas.page.context.new_cdp_session(canvas.page))

    def tap(self, point: Point) -> None:
        self._tell("touchStart", self.canvas.on_page(point))
        self._tell("touchEnd")

    def hold(self, point: Point) -> None:
        """A long press."""
        self._tell("touchStart", self.canvas.on_page(point))
        self.canvas.page.wait_for_timeout(HELD_MS)
        self._tell("touchEnd")

    def drag(self, start: Point, end: Point) -> None:
        self._move([(self.canvas.on_page(start), self.canvas.on_page(end))])

    def pinch(self, start: tuple[Point, Point], end: tuple[Point, Point]) -> None:
        """Two fingers from two points to two others; where these are is asked before the image moves."""
        self._move([(self.canvas.on_page(a), self.canvas.on_page(b)) for a, b in zip(start, end, strict=True)])

    def _move(self, ways: list[tuple[Point, Point]]) -> None:
        self._tell("touchStart", *(start for start, _ in ways))
        for step in range(1, STEPS + 1):
            share = step / STEPS
            places = [(a[0] + share * (b[0] - a[0]), a[1] + share * (b[1] - a[1])) for a, b in ways]
            self._tell("touchMove", *places)
        self._tell("touchEnd")

    def _tell(self, kind: Literal["touchStart", "touchMove", "touchEnd"], *places: Point) -> None:
        points = [{"x": x, "y": y, "id": finger} for finger, (x, y) in enumerate(places)]
        self.session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})
