import { classKeys, keyName } from '../../shared/classes/class-key'
import { DashPreview, dashNames } from '../../shared/classes/class-mark'
import type { SchemaClass } from '../../shared/classes/types'
import { plural } from '../../shared/format/numbers'
import { Chip } from '../../shared/ui/chip'
import { TextArea } from '../../shared/ui/fields'
import { type Draft, safeColours, withChange, without } from './draft'
import { ExamplesField } from './examples-field'

interface ClassRowsProps {
  dataset: string
  /** The schema as the server has it. */
  saved: Draft
  draft: Draft
  onChange: (draft: Draft) => void
}

export function ClassRows({ dataset, saved, draft, onChange }: ClassRowsProps) {
  const known = new Set(saved.classes.map(({ name }) => name))
  return (
    <ul className="class-rows">
      {draft.classes.map((each) => (
        <ClassRow
          key={each.name}
          dataset={dataset}
          of={each}
          all={draft.classes}
          isNew={!known.has(each.name)}
          onChange={(change) => onChange(withChange(draft, each.name, change))}
          onRemove={() => onChange(without(draft, each.name))}
        />
      ))}
    </ul>
  )
}

interface ClassRowProps {
  dataset: string
  of: SchemaClass
  all: readonly SchemaClass[]
  isNew: boolean
  onChange: (change: Partial<SchemaClass>) => void
  onRemove: () => void
}

function ClassRow({ dataset, of, all, isNew, onChange, onRemove }: ClassRowProps) {
  const { name, colour, dash, guideline, archived } = of
  return (
    <li className={`class-row ${archived ? 'archived' : ''}`}>
      <div className="class-row-head">
        <KeySelect of={of} all={all} onChange={(key) => onChange({ key })} />
        <DashPreview colour={colour} dash={dash} />
        <strong className="grow cut" title={name}>
          {name}
        </strong>
        {isNew && (
          <Chip tone="live" bare>
            new
          </Chip>
        )}
        {archived && <Chip bare>archived</Chip>}
        <ColourField of={of} onChange={(wanted) => onChange({ colour: wanted })} />
        {!isNew && (
          <button type="button" className="button little" onClick={() => onChange({ archived: !archived })}>
            {archived ? 'Bring back' : 'Archive'}
            <span className="visually-hidden"> {name}</span>
          </button>
        )}
        <button type="button" className="button little" title={isNew ? undefined : 'Only while no label uses this class'} onClick={onRemove}>
          Remove<span className="visually-hidden"> {name}</span>
        </button>
      </div>
      {!archived && (
        <details className="fold">
          <summary className="small">
            {guideline === '' && of.examples.length === 0 ? 'Add a guideline and examples' : `Guideline, ${plural(of.examples.length, 'example')}`}
            <span className="visually-hidden"> of {name}</span>
          </summary>
          <div className="stack">
            <TextArea
              label={`Guideline of ${name}`}
              placeholder={`What is ${name}, and what is it not?`}
              rows={3}
              maxLength={4000}
              value={guideline}
              onChange={(guideline) => onChange({ guideline })}
            />
            <ExamplesField dataset={dataset} of={of} onChange={(examples) => onChange({ examples })} />
          </div>
        </details>
      )}
    </li>
  )
}

function KeySelect({ of, all, onChange }: { of: SchemaClass; all: readonly SchemaClass[]; onChange: (key: string) => void }) {
  const holders = new Map(all.map(({ key, name }) => [key, name]))
  return (
    <select className="field key-select" aria-label={`Key of ${of.name}`} value={of.key ?? ''} onChange={({ target }) => onChange(target.value)}>
      {of.key === null && <option value="">–</option>}
      {classKeys.map((key) => {
        const holder = holders.get(key)
        const swapped = holder !== undefined && holder !== of.name ? ` (swap with ${holder})` : ''
        return (
          <option key={key} value={key}>
            {keyName(key)}
            {swapped}
          </option>
        )
      })}
    </select>
  )
}

function ColourField({ of: { name, colour, dash }, onChange }: { of: SchemaClass; onChange: (colour: string) => void }) {
  return (
    <label className="colour-field" title={`${colour}, ${dashNames[dash] ?? 'solid'}`}>
      <span className="visually-hidden">Colour of {name}</span>
      <input type="color" list="safe-colours" value={colour} onChange={({ target }) => onChange(target.value)} />
    </label>
  )
}

/** Offered by the browser's colour field: the eight that stay apart for every common colour vision. */
export function SafeColours() {
  return (
    <datalist id="safe-colours">
      {safeColours.map((colour) => (
        <option key={colour} value={colour} />
      ))}
    </datalist>
  )
}
