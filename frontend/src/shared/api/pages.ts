/** The cursor in a list's `next`, which is the whole address of the next page; null at the end of the list. */
export function cursorOf(next: string | null): string | null {
  return next === null ? null : new URL(next, window.location.origin).searchParams.get('cursor')
}
