import { Plus, X } from 'lucide-react'
import { useId, type ReactNode } from 'react'

import { numberFault } from '../format/amount'
import { TextField } from '../ui/fields'
import { GroupFault, useOwnFault } from '../ui/form'
import {
  isWeighted,
  plainObjectives,
  quotaFault,
  quotaKinds,
  weightedObjectives,
  weightsFault,
  type ComposeDraft,
  type ObjectiveDraft,
  type ObjectiveName,
  type QuotaDraft,
} from './compose-draft'

interface ComposeFieldsProps {
  draft: ComposeDraft
  onChange: (draft: ComposeDraft) => void
  /** Names that a quota or a weight may take. */
  classes: readonly string[]
  slices: readonly string[]
}

/** What the batch must be, whatever the strategy wants; folded away until somebody needs it. */
export function ComposeFields({ draft, onChange, classes, slices }: ComposeFieldsProps) {
  const change = (part: Partial<ComposeDraft>) => onChange({ ...draft, ...part })
  return (
    <details className="fold">
      <summary>Constraints and objectives</summary>
      <div className="form-lines">
        <GroupFault name="compose" />
        <Quotas draft={draft} change={change} classes={classes} slices={slices} />
        <Spread draft={draft} change={change} />
        <Cost draft={draft} change={change} />
        <Objectives draft={draft} change={change} />
      </div>
    </details>
  )
}

interface PartProps {
  draft: ComposeDraft
  change: (part: Partial<ComposeDraft>) => void
}

const emptyQuota: QuotaDraft = { kind: 'class', name: '', unit: 'samples', least: '', most: '' }

function Quotas({ draft, change, classes, slices }: PartProps & { classes: readonly string[]; slices: readonly string[] }) {
  const listId = useId()
  const put = (index: number, part: Partial<QuotaDraft>) => change({ quotas: replaced(draft.quotas, index, part) })
  return (
    <Lines legend="Quotas" add="Add a quota" onAdd={() => change({ quotas: [...draft.quotas, emptyQuota] })}>
      {draft.quotas.map((quota, index) => (
        <Line key={index} what={`quota ${index + 1}`} onRemove={() => change({ quotas: draft.quotas.filter((_, place) => place !== index) })}>
          <select aria-label={`Quota ${index + 1} is of`} className="field" value={quota.kind} onChange={({ target }) => put(index, { kind: target.value as QuotaDraft['kind'] })}>
            {quotaKinds.map((kind) => (
              <option key={kind}>{kind}</option>
            ))}
          </select>
          <Inline label={`Name of quota ${index + 1}`} hint="name" list={`${listId}-${quota.kind}`} text={quota.name} fault={quotaFault(quota)} onType={(name) => put(index, { name })} />
          <Amount label={`Least of quota ${index + 1}`} hint="at least" text={quota.least} onType={(least) => put(index, { least })} />
          <Amount label={`Most of quota ${index + 1}`} hint="at most" text={quota.most} onType={(most) => put(index, { most })} />
          <select aria-label={`Unit of quota ${index + 1}`} className="field" value={quota.unit} onChange={({ target }) => put(index, { unit: target.value as QuotaDraft['unit'] })}>
            <option value="samples">samples</option>
            <option value="percent">% of the batch</option>
          </select>
        </Line>
      ))}
      <Names id={`${listId}-class`} names={classes} />
      <Names id={`${listId}-slice`} names={slices} />
      <div className="form-columns">
        <TextField label="Source" hint="The metadata key that says where a sample comes from, for quotas of sources." value={draft.source} onChange={(source) => change({ source })} />
      </div>
    </Lines>
  )
}

function Spread({ draft: { gap, distance }, change }: PartProps) {
  return (
    <fieldset className="form-group">
      <legend>Minimum distance between picks</legend>
      <div className="form-columns">
        <Text inputMode="decimal" label="Minimum distance" hint="Cosine distance of embeddings, 0 to 2. Closer samples count as the same picture." value={distance.cosine} onType={(cosine) => change({ distance: { ...distance, cosine } })} />
        <div className="form-lines">
          <label className="check">
            <input type="checkbox" checked={distance.labelled} onChange={({ target }) => change({ distance: { ...distance, labelled: target.checked } })} />
            <span>from all labelled samples</span>
          </label>
          <label className="check">
            <input type="checkbox" checked={distance.batch} onChange={({ target }) => change({ distance: { ...distance, batch: target.checked } })} />
            <span>within the batch</span>
          </label>
        </div>
        <Text inputMode="decimal" label="Minimum time between two, s" hint="Between samples of one group, such as a drive." value={gap.seconds} onType={(seconds) => change({ gap: { ...gap, seconds } })} />
        <Text label="Group" hint="The metadata key with the drive." value={gap.group} onType={(group) => change({ gap: { ...gap, group } })} />
        <Text label="Time" hint="The metadata key with the time." value={gap.time} onType={(time) => change({ gap: { ...gap, time } })} />
      </div>
    </fieldset>
  )
}

function Cost({ draft: { cost }, change }: PartProps) {
  return (
    <fieldset className="form-group">
      <legend>Cost</legend>
      <div className="form-columns">
        <Text inputMode="decimal" label="Budget" hint="Picking stops when the total cost would exceed it." value={cost.budget} onType={(budget) => change({ cost: { ...cost, budget } })} />
        <Text label="Cost of a sample" hint="The metadata key with the cost." value={cost.meta} onType={(meta) => change({ cost: { ...cost, meta } })} />
        <Text inputMode="decimal" label="Cost of samples without that key" value={cost.fallback} onType={(fallback) => change({ cost: { ...cost, fallback } })} />
      </div>
    </fieldset>
  )
}

function Objectives({ draft, change }: PartProps) {
  const put = (index: number, part: Partial<ObjectiveDraft>) => change({ objectives: replaced(draft.objectives, index, part) })
  const add = () => change({ objectives: [...draft.objectives, { name: 'class_weight', weights: '', strength: '1' }] })
  return (
    <Lines legend="Objectives (multiply the strategy's score)" add="Add an objective" onAdd={add}>
      {draft.objectives.map((objective, index) => (
        <Line key={index} what={`objective ${index + 1}`} onRemove={() => change({ objectives: draft.objectives.filter((_, place) => place !== index) })}>
          <select aria-label={`Objective ${index + 1}`} className="field" value={objective.name} onChange={({ target }) => put(index, { name: target.value as ObjectiveName })}>
            {[...weightedObjectives, ...plainObjectives].map((name) => (
              <option key={name} value={name}>
                {name.replaceAll('_', ' ')}
              </option>
            ))}
          </select>
          {isWeighted(objective.name) && (
            <Inline label={`Weights of objective ${index + 1}`} hint="bolt=2, nut=0.5" className="grow" text={objective.weights} fault={weightsFault(objective.weights)} onType={(weights) => put(index, { weights })} />
          )}
          <Amount label={`Strength of objective ${index + 1}`} hint="strength" text={objective.strength} onType={(strength) => put(index, { strength })} />
        </Line>
      ))}
    </Lines>
  )
}

function Lines({ legend, add, onAdd, children }: { legend: string; add: string; onAdd: () => void; children: ReactNode }) {
  return (
    <fieldset className="form-group">
      <legend>{legend}</legend>
      <div className="form-lines">
        {children}
        <div>
          <button type="button" className="button little" onClick={onAdd}>
            <Plus size={14} aria-hidden /> {add}
          </button>
        </div>
      </div>
    </fieldset>
  )
}

function Line({ what, onRemove, children }: { what: string; onRemove: () => void; children: ReactNode }) {
  return (
    <div className="form-line">
      {children}
      <button type="button" className="button plain icon" aria-label={`Remove ${what}`} onClick={onRemove}>
        <X size={14} aria-hidden />
      </button>
    </div>
  )
}

interface InlineProps {
  label: string
  hint: string
  text: string
  fault: string | null
  onType: (text: string) => void
  className?: string
  inputMode?: 'decimal'
  list?: string
}

/** A control without a label above it, with what is wrong with its text. */
function Inline({ label, hint, text, fault, onType, className = '', ...rest }: InlineProps) {
  useOwnFault(fault)
  const id = useId()
  return (
    <>
      <input
        {...rest}
        aria-label={label}
        aria-invalid={fault !== null}
        aria-describedby={fault === null ? undefined : id}
        placeholder={hint}
        className={`field ${className}`}
        value={text}
        onChange={({ target }) => onType(target.value)}
      />
      {fault !== null && (
        <span id={id} className="small form-fault">
          {fault}
        </span>
      )}
    </>
  )
}

function Amount(props: Omit<InlineProps, 'fault'>) {
  return <Inline {...props} fault={numberFault(props.text)} className="short" inputMode="decimal" />
}

function Text({ onType, ...rest }: { label: string; hint?: string; value: string; inputMode?: 'decimal'; onType: (text: string) => void }) {
  return <TextField {...rest} onChange={onType} />
}

function Names({ id, names }: { id: string; names: readonly string[] }) {
  return (
    <datalist id={id}>
      {names.map((name) => (
        <option key={name} value={name} />
      ))}
    </datalist>
  )
}

function replaced<T>(all: readonly T[], index: number, part: Partial<T>): T[] {
  return all.map((one, place) => (place === index ? { ...one, ...part } : one))
}
