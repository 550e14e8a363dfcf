import type { LabelValue, ShapesValue } from '../../shared/api/types'
import { agreedOf, isShapes, type AnswerOption } from './options'
import type { Review } from './types'

/** One person's shapes, the consensus, or the model's, as one sheet over the image. */
export interface AnswerLayer {
  id: string
  name: string
  /** The key that shows and hides it; null where an action of the key map does. */
  key: string | null
  shapes: ShapesValue
  colour: string
  /** SVG dash array: the colour is never the only cue. */
  dash: string
}

const colours = ['#56B4E9', '#E69F00', '#CC79A7', '#F0E442', '#009E73', '#D55E00'] as const
const dashes = ['', '8 4', '2 3', '8 3 2 3'] as const

/** The sheets of a review of shapes: everybody's in the order of the answers, then the consensus and the model's. */
export function layersOf(review: Review, options: readonly AnswerOption[]): AnswerLayer[] {
  const people = review.answers.flatMap(({ id, author, value }, place): AnswerLayer[] =>
    isShapes(value) ? [{ id: String(id), name: author.username, key: String(place + 1), shapes: value, ...look(place) }] : [],
  )
  const merged = agreedOf(review)?.value ?? null
  const model = options.find((option) => option.model !== null)?.value ?? null
  return [...people, ...sheet('consensus', 'Consensus', merged, '#ffffff', ''), ...sheet('model', 'Model', model, '#b3bcc9', '4 4')]
}

function look(place: number): Pick<AnswerLayer, 'colour' | 'dash'> {
  return { colour: colours[place % colours.length] ?? colours[0], dash: dashes[place % dashes.length] ?? '' }
}

function sheet(id: string, name: string, value: LabelValue | null, colour: string, dash: string): AnswerLayer[] {
  return isShapes(value) ? [{ id, name, key: null, shapes: value, colour, dash }] : []
}

/** What editing begins with: the only sheet that is shown, else the consensus, else the first. */
export function startOf(layers: readonly AnswerLayer[], hidden: ReadonlySet<string>): ShapesValue {
  const shown = layers.filter(({ id }) => !hidden.has(id))
  const best = shown.length === 1 ? shown[0] : (layers.find(({ id }) => id === 'consensus') ?? shown[0] ?? layers[0])
  return best?.shapes ?? { boxes: [] }
}
