import type { Box } from '../../../shared/format/labels'

export interface BoxChanges {
  /** In both, of the same class at the same place. */
  kept: Box[]
  /** Only before. */
  gone: Box[]
  /** Only after. */
  come: Box[]
}

/** Which boxes of an image changed. A box that occurs twice on one side is matched once for each on the other. */
export function boxChanges(before: readonly Box[], after: readonly Box[]): BoxChanges {
  const left = new Map<string, Box[]>()
  for (const box of before) left.set(identity(box), [...(left.get(identity(box)) ?? []), box])
  const changes: BoxChanges = { kept: [], gone: [], come: [] }
  for (const box of after) (left.get(identity(box))?.pop() ? changes.kept : changes.come).push(box)
  changes.gone = [...left.values()].flat()
  return changes
}

function identity({ class: name, box }: Box): string {
  return JSON.stringify([name, ...box])
}

/** What happened to the boxes in words: `1 moved, 2 renamed, 1 new, 4 kept`. */
export function boxWords({ kept, gone, come }: BoxChanges): string {
  const renamed = matched(gone, come, ({ box }) => box.join())
  const moved = matched(renamed.gone, renamed.come, ({ class: name }) => name)
  const parts = [
    [moved.pairs, 'moved'],
    [renamed.pairs, 'renamed'],
    [moved.come.length, 'new'],
    [moved.gone.length, 'gone'],
    [kept.length, 'kept'],
  ] as const
  const said = parts.filter(([amount]) => amount > 0).map(([amount, words]) => `${amount} ${words}`)
  return said.length > 0 ? said.join(', ') : 'no boxes'
}

/** Pairs off what is the same in one respect; the rest stays. */
function matched(gone: readonly Box[], come: readonly Box[], respect: (box: Box) => string) {
  const rest = [...gone]
  const unmatched = come.filter((box) => {
    const place = rest.findIndex((other) => respect(other) === respect(box))
    if (place >= 0) rest.splice(place, 1)
    return place < 0
  })
  return { pairs: come.length - unmatched.length, gone: rest, come: unmatched }
}
