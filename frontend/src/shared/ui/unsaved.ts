/** How many parts of a draft are not as they were when it began. */
export function unsavedIn<Draft extends object>(first: Draft, draft: Draft): number {
  const names = Object.keys(draft) as (keyof Draft)[]
  return names.filter((name) => JSON.stringify(first[name]) !== JSON.stringify(draft[name])).length
}
