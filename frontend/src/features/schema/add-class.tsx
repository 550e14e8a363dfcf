import { Plus } from 'lucide-react'
import { useState } from 'react'

import { keyName } from '../../shared/classes/class-key'
import { type Draft, freeKey, nameFault } from './draft'

/** Adds a class with the next free key; Enter adds, and nothing else of the form is sent by it. */
export function AddClass({ draft, onAdd }: { draft: Draft; onAdd: (name: string) => void }) {
  const [name, setName] = useState('')
  const [fault, setFault] = useState<string | null>(null)
  const key = keyName(freeKey(draft.classes))
  const add = () => {
    const said = nameFault(draft, name)
    setFault(said)
    if (said !== null) return
    onAdd(name.trim())
    setName('')
  }
  return (
    <div className="add-class">
      <input
        className="field"
        aria-label="Name of a new class"
        placeholder="New class"
        aria-invalid={fault !== null}
        aria-describedby="add-class-said"
        maxLength={100}
        value={name}
        onChange={({ target }) => {
          setName(target.value)
          setFault(null)
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter') return
          event.preventDefault()
          add()
        }}
      />
      <button type="button" className="button" onClick={add}>
        <Plus size={14} aria-hidden />
        Add class
      </button>
      <span id="add-class-said" className={`small ${fault === null ? 'quiet' : 'form-fault'}`} role={fault === null ? undefined : 'alert'}>
        {fault ?? (key === null ? 'It gets no key: all twenty are taken.' : `It gets the key ${key}.`)}
      </span>
    </div>
  )
}
