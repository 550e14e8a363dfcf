import type { LabelTask } from '../../shared/api/types'
import { percent } from '../../shared/format/numbers'
import { Swatch } from '../../shared/ui/swatch'
import { classKey } from './class-keys'

interface ClassListProps {
  classes: string[]
  task: LabelTask
  /** The answer given before, while looking back: null was a skip, undefined is a task not answered yet. */
  chosen: string | null | undefined
  onChoose: (name: string) => void
  onAct: (command: 'accept' | 'skip' | 'undo') => void
}

export function ClassList({ classes, task, chosen, onChoose, onAct }: ClassListProps) {
  const { suggestion } = task
  return (
    <section aria-label="Classes" className="stack">
      {chosen !== undefined && (
        <p className="small">
          You said <strong>{chosen ?? 'skip'}</strong>. Choose another to correct it, <kbd>→</kbd> to go back to the next image.
        </p>
      )}
      <ul className="classes">
        {classes.map((name) => (
          <li key={name}>
            <button
              type="button"
              className={`class ${suggestion?.class === name ? 'suggested' : ''}`}
              aria-pressed={chosen === undefined ? undefined : chosen === name}
              onClick={() => onChoose(name)}
            >
              <kbd>{classKey(classes, name) ?? '·'}</kbd>
              <Swatch classes={classes} name={name} />
              <span className="cut">{name}</span>
              <span className="grow" />
              {suggestion?.class === name && <span className="class-model">model</span>}
              {suggestion && <span className="class-share">{percent(suggestion.probabilities[name] ?? 0, 0)}</span>}
            </button>
          </li>
        ))}
      </ul>
      <div className="row wrap">
        {suggestion && (
          <button type="button" className="button primary" title={`Suggested by ${suggestion.model}`} onClick={() => onAct('accept')}>
            Accept {suggestion.class} <kbd>A</kbd>
          </button>
        )}
        <button type="button" className="button" onClick={() => onAct('skip')}>
          Skip <kbd>S</kbd>
        </button>
        <button type="button" className="button" onClick={() => onAct('undo')}>
          Undo <kbd>⌫</kbd>
        </button>
      </div>
    </section>
  )
}
