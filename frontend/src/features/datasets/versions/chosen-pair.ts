/** Up to two version numbers, the longest chosen first. */
export type ChosenPair = readonly number[]

/** Ticks a version or takes its tick away; a third takes the place of the one that was ticked first. */
export function withChosen(pair: ChosenPair, version: number): ChosenPair {
  return pair.includes(version) ? pair.filter((each) => each !== version) : [...pair, version].slice(-2)
}
