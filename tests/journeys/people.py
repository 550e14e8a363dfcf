"""A person at a browser: how they log in and label, by keyboard only."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from playwright.sync_api import BrowserContext, ConsoleMessage, Page, expect

# What the browser itself says of failed requests: some journeys switch the network or the server off.
EXPECTED = ("Failed to load resource",)


class Open(Protocol):
    def __call__(self, token: str = ..., *, phone: bool = ...) -> "Person": ...


@dataclass
class Person:
    """One person with one page. `faults` holds what the page threw, or wrote as an error to the console."""

    page: Page
    faults: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.page.on("pageerror", lambda error: self.faults.append(str(error)))
        self.page.on("console", self._note)

    @classmethod
    def log_in(cls, context: BrowserContext, token: str) -> "Person":
        """Through the login page."""
        person = cls(context.new_page())
        person.page.goto("/app/")
        person.page.get_by_label("Token").fill(token)
        person.page.keyboard.press("Enter")
        expect(person.page.get_by_role("navigation", name="Pages")).to_be_visible()
        return person

    def _note(self, message: ConsoleMessage) -> None:
        if message.type == "error" and not message.text.startswith(EXPECTED):
            self.faults.append(message.text)

    def sit_down(self, queue: str) -> None:
        """Open a queue and wait for its first image."""
        self.page.goto(f"/app/label/{queue}")
        expect(self.page.get_by_role("img", name="Sample ")).to_be_visible()

    def shown(self) -> str:
        """The key of the sample on the stage."""
        alt = self.page.locator(".stage img").get_attribute("alt")
        assert alt is not None
        return alt.removeprefix("Sample ")

    def press(self, key: str) -> None:
        """Press a key and wait until another image stands there, or none."""
        before = self.shown()
        self.page.keyboard.press(key)
        self.page.wait_for_function(
            "before => document.querySelector('.stage img')?.alt !== `Sample ${before}`", arg=before
        )

    def label(self, truth: Mapping[str, str], *, count: int) -> list[str]:
        """Answer `count` images rightly; returns their keys."""
        answered = []
        for _ in range(count):
            expect(self.page.locator(".stage img")).to_be_visible(timeout=30_000)
            answered.append(self.shown())
            self.press(truth[answered[-1]])
        return answered

    def wait_until_saved(self, *, seconds: float = 60) -> None:
        """Until the server has everything that was said."""
        expect(self.page.get_by_text("All saved")).to_be_visible(timeout=seconds * 1000)
