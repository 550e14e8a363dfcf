import { X } from 'lucide-react'
import { useState } from 'react'

import type { ClassExample, SchemaClass } from '../../shared/classes/types'
import { RefusableButton } from '../../shared/ui/refusable-button'
import { ExamplePicker } from './example-picker'

interface ExamplesFieldProps {
  dataset: string
  of: SchemaClass
  onChange: (examples: ClassExample[]) => void
}

const most = 12

/** The pictures that show a class well, each with a note of what to look at. */
export function ExamplesField({ dataset, of: { name, examples }, onChange }: ExamplesFieldProps) {
  const [picking, setPicking] = useState(false)
  const noted = (key: string, note: string) => onChange(examples.map((each) => (each.key === key ? { ...each, note } : each)))
  return (
    <div className="stack">
      {examples.length > 0 && (
        <ul className="examples" aria-label={`Examples of ${name}`}>
          {examples.map(({ key, thumb, note }) => (
            <li key={key} className="example">
              <img src={thumb} alt={key} />
              <input
                className="field"
                aria-label={`Note on ${key}`}
                placeholder="What to look at"
                maxLength={200}
                value={note}
                onChange={({ target }) => noted(key, target.value)}
              />
              <button
                type="button"
                className="button little icon example-remove"
                aria-label={`Remove the example ${key}`}
                onClick={() => onChange(examples.filter((each) => each.key !== key))}
              >
                <X size={12} aria-hidden />
              </button>
            </li>
          ))}
        </ul>
      )}
      <div>
        <RefusableButton className="button little" refusal={examples.length < most ? null : `A class has at most ${most} examples: remove one first.`} onClick={() => setPicking(true)}>
          Pick examples…<span className="visually-hidden"> of {name}</span>
        </RefusableButton>
      </div>
      {picking && <ExamplePicker dataset={dataset} name={name} chosen={examples} most={most} onChange={onChange} onClose={() => setPicking(false)} />}
    </div>
  )
}
