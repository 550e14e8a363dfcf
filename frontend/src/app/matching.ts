/** Where the palette leads, or what it does. */
export interface Destination {
  name: string
  kind: string
  go: () => void
}

/** Those with every word in their name or kind: names that begin so first, then words that begin so, then the rest. */
export function matching(destinations: readonly Destination[], wanted: string): Destination[] {
  const words = wanted.toLowerCase().split(/\s+/).filter(Boolean)
  const found = destinations.filter(({ name, kind }) => words.every((word) => `${kind} ${name}`.toLowerCase().includes(word)))
  const rank = ({ name, kind }: Destination) => {
    const text = name.toLowerCase()
    // A word that says the kind is not part of the name: `dataset signs`.
    const [first = ''] = words.filter((word) => !kind.startsWith(word))
    return text.startsWith(first) ? 0 : text.split(/[\s._-]+/).some((word) => word.startsWith(first)) ? 1 : 2
  }
  return found.map((each) => ({ each, rank: rank(each) })).sort((a, b) => a.rank - b.rank).map(({ each }) => each)
}
