import type { LabelTask, LabelValue } from '../../shared/api/types'
import { percent } from '../../shared/format/numbers'
import { Swatch } from '../../shared/ui/swatch'
import type { ClassKeys } from './class-keys'
import { classSuggestion, namedClasses, valueWords } from './values'

interface ClassListProps {
  keys: ClassKeys
  task: LabelTask
  /** The answer given before, while looking back: null was a skip, undefined is a task not answered yet. */
  chosen: LabelValue | null | undefined
  onChoose: (name: string) => void
  onAct: (command: 'accept' | 'skip' | 'undo') => void
}

export function ClassList({ keys, task, chosen, onChoose, onAct }: ClassListProps) {
  const suggestion = classSuggestion(task)
  const classes = keys.classes.map(({ name }) => name)
  const named = chosen ? namedClasses(chosen) : []
  return (
    <section aria-label="Classes" className="stack">
      {chosen !== undefined && (
        <p className="small">
          You said <strong>{valueWords(chosen)}</strong>. Choose another to correct it, <kbd>→</kbd> to go back to the next image.
        </p>
      )}
      <ul className="classes">
        {classes.map((name) => (
          <li key={name}>
            <button
              type="button"
              className={`class ${suggestion?.class === name ? 'suggested' : ''}`}
              aria-pressed={chosen === undefined ? undefined : named.includes(name)}
              onClick={() => onChoose(name)}
            >
              <kbd>{keys.label(name) ?? '·'}</kbd>
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
