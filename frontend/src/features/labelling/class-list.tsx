import type { LabelTask } from '../../shared/api/types'
import { percent } from '../../shared/format/numbers'
import { digitName } from '../../shared/keys/keyboard'
import { Swatch } from '../../shared/ui/swatch'
import type { Command } from './commands'

interface ClassListProps {
  classes: string[]
  task: LabelTask
  /** The answer given before, while looking back: null was a skip, undefined is a task not answered yet. */
  chosen: string | null | undefined
  onAct: (command: Command) => void
}

export function ClassList({ classes, task, chosen, onAct }: ClassListProps) {
  const { suggestion } = task
  return (
    <section aria-label="Classes" className="stack">
      {chosen !== undefined && (
        <p className="small">
          You said <strong>{chosen ?? 'skip'}</strong>. Choose another to correct it, <kbd>→</kbd> to go back to the next image.
        </p>
      )}
      <ul className="classes">
        {classes.map((name, index) => (
          <li key={name}>
            <button
              type="button"
              className={`class ${suggestion?.class === name ? 'suggested' : ''}`}
              aria-pressed={chosen === undefined ? undefined : chosen === name}
              onClick={() => onAct({ do: 'choose', index })}
            >
              <kbd>{digitName(index) ?? '·'}</kbd>
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
          <button type="button" className="button primary" title={`Suggested by ${suggestion.model}`} onClick={() => onAct({ do: 'accept' })}>
            Accept {suggestion.class} <kbd>A</kbd>
          </button>
        )}
        <button type="button" className="button" onClick={() => onAct({ do: 'skip' })}>
          Skip <kbd>S</kbd>
        </button>
        <button type="button" className="button" onClick={() => onAct({ do: 'undo' })}>
          Undo <kbd>⌫</kbd>
        </button>
      </div>
    </section>
  )
}
