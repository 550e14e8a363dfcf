import { plural } from '../../../shared/format/numbers'
import type { ActionOf } from '../../../shared/keys/keymap'
import { ActButton } from './act-button'
import type { Shape } from './core/shapes'

type Act = (action: ActionOf<'canvas'>) => void

/** What can be done to several selected shapes at once, for whoever has no keys at hand. */
export function SelectionPanel({ shapes, onAct }: { shapes: readonly Shape[]; onAct: Act }) {
  const undecided = shapes.filter((shape) => !shape.confirmed).length
  return (
    <section className="stack" aria-labelledby="canvas-selected">
      <h2 id="canvas-selected">{plural(shapes.length, 'shape')} selected</h2>
      <p className="quiet small">{countsWords(shapes)}</p>
      <div className="row wrap selection-acts">
        {undecided > 0 && <ActButton scope="canvas" action="accept" words={`Accept ${undecided}`} onAct={onAct} />}
        <ActButton scope="canvas" action="duplicate" words="Duplicate" onAct={onAct} />
        <ActButton scope="canvas" action="hideSelected" words="Hide" onAct={onAct} />
        <ActButton scope="canvas" action="remove" words="Delete" onAct={onAct} />
        <ActButton scope="canvas" action="cancel" words="Select none" onAct={onAct} />
      </div>
    </section>
  )
}

/** How many there are of each class, such as `2 roof, 1 tree`. */
export function countsWords(shapes: readonly Shape[]): string {
  const counts = new Map<string, number>()
  for (const { class: name } of shapes) counts.set(name, (counts.get(name) ?? 0) + 1)
  return [...counts].map(([name, count]) => `${count} ${name}`).join(', ')
}
