import { useEffect } from 'react'

const application = 'Motherlode'

/** What a page is called: its heading, and which part of the thing is open, as in `digits: Versions · Motherlode`. */
export function titleOf(page: ParentNode): string {
  const heading = page.querySelector('h1')
  const name = words(heading)
  if (heading === null || name === '') return application
  const part = words(heading.parentElement?.querySelector('.tabs [aria-current="page"]') ?? null)
  const title = part === '' ? name : `${name}: ${part}`
  return title.includes(application) ? title : `${title} · ${application}`
}

function words(element: Element | null): string {
  return (element?.textContent ?? '').replace(/\s+/g, ' ').trim()
}

/** The title of the window and of the history follows the page's heading, also where that comes later or changes. */
export function usePageTitle(): void {
  useEffect(() => {
    const follow = () => {
      const title = titleOf(document)
      if (document.title !== title) document.title = title
    }
    const observer = new MutationObserver(follow)
    observer.observe(document.body, { childList: true, characterData: true, subtree: true })
    follow()
    return () => observer.disconnect()
  }, [])
}
