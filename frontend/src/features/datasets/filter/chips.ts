import { plural } from '../../../shared/format/numbers'
import { type GridSearch, severalNames, toggled, without } from '../../../shared/routes/grid-search'

export interface Chip {
  words: string
  /** What is shown without it. */
  drop: (search: GridSearch) => GridSearch
}

const singles: { [Name in keyof GridSearch]?: (value: NonNullable<GridSearch[Name]>) => string } = {
  labelled: (on) => (on ? 'labelled' : 'not labelled'),
  q: (text) => `key has “${text}”`,
  slice: (name) => `slice: ${name}`,
  ids: (ids) => plural(ids.split(',').length, 'chosen sample'),
  filter: (text) => text,
  correct: (on) => (on ? 'predicted right' : 'predicted wrong'),
  above: (number) => `confidence from ${number}`,
  below: (number) => `confidence to ${number}`,
}

/** A chip for each filter, of several values of a facet one for each. */
export function chipsOf(search: GridSearch): Chip[] {
  const several = severalNames.flatMap((name) =>
    (search[name] ?? []).map((value) => ({ words: `${name}: ${value}`, drop: (from: GridSearch) => toggled(from, name, value) })),
  )
  const single = (Object.keys(singles) as (keyof typeof singles)[]).flatMap((name) => {
    const [value, words] = [search[name], singles[name] as ((value: unknown) => string) | undefined]
    return value === undefined || !words ? [] : [{ words: words(value), drop: (from: GridSearch) => without(from, name) }]
  })
  return [...several, ...single]
}
