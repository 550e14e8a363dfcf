interface Called {
  name: string
}

/** Those with what is typed in their names: the one that is called so first, then those that begin with it. */
export function ranked<Thing extends Called>(things: readonly Thing[], typed: string): Thing[] {
  const wanted = typed.trim().toLowerCase()
  const rank = ({ name }: Thing) => {
    const called = name.toLowerCase()
    if (called === wanted) return 0
    if (called.startsWith(wanted)) return 1
    return called.includes(wanted) ? 2 : null
  }
  return things
    .map((thing) => ({ thing, place: rank(thing) }))
    .filter(({ place }) => place !== null)
    .sort((one, other) => (one.place ?? 0) - (other.place ?? 0))
    .map(({ thing }) => thing)
}
