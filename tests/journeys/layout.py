"""What is wrong with how a page lies in its window: voids, a second scroll bar, what sticks out."""

import time

from playwright.sync_api import Page, expect

WIDTHS = (1440, 1024, 390)
SETTLED_SECONDS = 3.0

FAULTS = """() => {
  const faults = []
  const root = document.documentElement, content = document.querySelector('#content')
  const all = [...content.querySelectorAll('*')]
  const name = (each) => `${each.localName}.${[...each.classList].join('.')}`
  const scrolls = (each) =>
    each.scrollHeight > each.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(each).overflowY)
  if (root.scrollHeight > innerHeight) faults.push(`the document is ${root.scrollHeight} px tall in ${innerHeight}`)
  if (root.scrollWidth > innerWidth) faults.push(`the document is ${root.scrollWidth} px wide in ${innerWidth}`)
  if (content.scrollWidth > content.clientWidth) {
    const edge = content.getBoundingClientRect().left + content.clientWidth
    const out = all.filter((each) => each.getBoundingClientRect().right > edge + 1).slice(0, 3)
    faults.push(`${content.scrollWidth} px of content in ${content.clientWidth}: ${out.map(name).join(', ')}`)
  }
  for (const grid of all.filter((each) => getComputedStyle(each).display === 'grid')) {
    const columns = [...grid.children].map((each) => [each, each.getBoundingClientRect()])
    for (const [each, { left, top, bottom }] of columns) {
      const beside = columns.filter(([, box]) => box.left > left && box.top < bottom && box.bottom > top)
      const end = left + each.scrollWidth
      const covered = getComputedStyle(each).overflowX === 'visible' && beside.find(([, box]) => end > box.left + 1)
      if (covered) faults.push(`${name(each)} lies over ${name(covered[0])}`)
    }
  }
  const seen = (each) => each.offsetParent !== null && !each.closest('.visually-hidden')
  const top = content.getBoundingClientRect().top - content.scrollTop
  const end = Math.max(0, ...all.filter(seen).map((each) => each.getBoundingClientRect().bottom - top))
  const nothing = Math.round(content.scrollHeight - end)
  if (content.scrollHeight > content.clientHeight && nothing > 48) faults.push(`${nothing} px of nothing at the end`)
  if (scrolls(content)) {
    const inner = all.filter((each) => scrolls(each) && each.clientHeight > 0.6 * innerHeight)
    if (inner.length > 0) faults.push(`${inner.map(name).join(', ')} scrolls in a page that scrolls`)
  }
  return faults
}"""


def wait_until_read(page: Page) -> None:
    """Until a page shows what it asked the server for: it has its heading, and no part of it is being read."""
    expect(page.get_by_role("heading", level=1).first).to_be_visible()
    expect(page.locator("#content [aria-busy=true], #content .skeleton")).to_have_count(0)


def faults(page: Page) -> list[str]:
    """In words; empty for a page that has one scroll bar at most, and that ends where its content does.

    A chart is drawn anew a moment after its window changed, so what is wrong must stay wrong for SETTLED_SECONDS.
    """
    until = time.monotonic() + SETTLED_SECONDS
    while True:
        found: list[str] = page.evaluate(FAULTS)
        if not found or time.monotonic() > until:
            return found
        page.wait_for_timeout(50)
