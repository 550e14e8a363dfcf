"""Choosing one of a long list in a field that searches it."""

import re

from playwright.sync_api import Locator


def pick(field: Locator, words: str | re.Pattern[str], typed: str = "") -> None:
    """Take the choice that reads so, after `typed` where the list is long."""
    field.click()
    if typed:
        field.fill(typed)
    field.page.get_by_role("listbox", name="Choices").get_by_role("option", name=words, exact=True).click()
