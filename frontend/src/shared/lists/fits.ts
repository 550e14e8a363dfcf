/** Whether every word of a search stands somewhere in what a row is about. */
export function fits(about: readonly (string | number | null | undefined)[], q: string | undefined): boolean {
  const text = about.filter((part) => part !== null && part !== undefined).join(' ').toLowerCase()
  return (q ?? '').toLowerCase().split(/\s+/).every((word) => text.includes(word))
}
