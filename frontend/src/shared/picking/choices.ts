/** What may be chosen. */
export interface Choice<Row = unknown> {
  value: string
  /** What is read of it; its value without them. */
  words?: string
  /** Why it can't be chosen here. */
  refusal?: string | null
  /** What the server told of it. */
  row?: Row
}

export const wordsOf = ({ value, words = value }: Choice): string => words

/** Those of a short list with every word of a search. */
export function withWords<Row>(choices: readonly Choice<Row>[], q: string): Choice<Row>[] {
  const words = q.toLowerCase().split(/\s+/)
  return choices.filter((choice) => words.every((word) => wordsOf(choice).toLowerCase().includes(word)))
}

/** The next choice that is not refused, around the end; -1 where there is none. */
export function nextOf(choices: readonly Choice[], from: number, step: 1 | -1): number {
  for (let tried = 1; tried <= choices.length; tried += 1) {
    const place = (((from === -1 && step === -1 ? 0 : from) + step * tried) % choices.length + choices.length) % choices.length
    if (choices[place]?.refusal == null) return place
  }
  return -1
}
