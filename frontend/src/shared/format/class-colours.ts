/** Okabe-Ito without black plus Tol's wine: the eight stay apart for every common colour vision (ui.md has the distances). */
const palette = ['#0072B2', '#E69F00', '#009E73', '#CC79A7', '#56B4E9', '#D55E00', '#F0E442', '#882255'] as const

export interface ClassMark {
  colour: string
  /** 0 for the first eight classes; each repeat of the palette has another pattern, so colour is never the only cue. */
  pattern: number
}

export function classMark(classes: readonly string[], name: string): ClassMark {
  const index = Math.max(0, classes.indexOf(name))
  return { colour: palette[index % palette.length] ?? palette[0], pattern: Math.floor(index / palette.length) % 3 }
}
