import { Plus, X } from 'lucide-react'

import type { PlanExample } from '../../shared/api/types'
import { SelectField, TextField } from '../../shared/ui/fields'
import { Form, GroupFault } from '../../shared/ui/form'
import { emptySetup, typedFaults, type PlanDraft, type SetupDraft } from './draft'
import { groups, target, type PlanField } from './fields'

interface PlanFormProps {
  draft: PlanDraft
  examples: readonly PlanExample[]
  change: (draft: PlanDraft) => void
  choose: (example: string) => void
  send: () => void
  /** It was sent with nothing in it. */
  isEmpty: boolean
  error: unknown
  pending: boolean
}

/** What a plan is made from. What is left empty is measured here, where it can be. */
export function PlanForm({ draft, examples, change, choose, send, isEmpty, error, pending }: PlanFormProps) {
  const type = (name: string, text: string) => change({ ...draft, fields: { ...draft.fields, [name]: text } })
  const typed = (fields: readonly PlanField[]) => fields.some(({ name }) => (draft.fields[name] ?? '') !== '')
  return (
    <Form
      className="panel panel-body stack wide-gap"
      aria-label="Plan"
      sending={{ error, isPending: pending, mutate: send }}
      action="Calculate"
      doing="Calculating…"
      faults={{ ...typedFaults(draft), example: isEmpty ? 'Pick an example, or type at least one figure below.' : null }}
      beside={
        <button type="button" className="button" onClick={() => choose('')}>
          Clear
        </button>
      }
    >
      <SelectField name="example" label="Example" value={draft.example} onChange={choose} options={[['', 'none'], ...examples.map(({ name, title }) => [name, title] as const)]} />
      <NumberField field={target} draft={draft} type={type} />
      {groups.map(({ title, fields, open }) => (
        <details key={title} className="fold" open={open === true || typed(fields) || undefined}>
          <summary>{title}</summary>
          <div className="form-columns">
            {fields.map((field) => (
              <NumberField key={field.name} field={field} draft={draft} type={type} />
            ))}
          </div>
        </details>
      ))}
      <Setups setups={draft.setups} change={(setups) => change({ ...draft, setups })} />
      <p className="quiet small">What you leave empty is taken from what was measured here, and each figure says where it comes from.</p>
    </Form>
  )
}

function NumberField({ field: { name, label, hint }, draft, type }: { field: PlanField; draft: PlanDraft; type: (name: string, text: string) => void }) {
  const text = name === 'currency'
  return (
    <TextField name={name} label={label} hint={hint} inputMode={text ? undefined : 'decimal'} maxLength={text ? 12 : 30} value={draft.fields[name] ?? ''} onChange={(value) => type(name, value)} />
  )
}

function Setups({ setups, change }: { setups: readonly SetupDraft[]; change: (setups: readonly SetupDraft[]) => void }) {
  const set = (at: number, part: Partial<SetupDraft>) => change(setups.map((setup, place) => (place === at ? { ...setup, ...part } : setup)))
  return (
    <fieldset className="form-group">
      <legend>Trainings</legend>
      <GroupFault name="training" />
      {setups.length === 0 && <p className="quiet small">Without any, speeds measured on this platform are used.</p>}
      {setups.map((setup, at) => (
        <div key={at} className="planner-setup" role="group" aria-label={`Training ${at + 1}`}>
          <TextField name={`training.${at}.architecture`} label="Network" maxLength={60} value={setup.architecture} onChange={(architecture) => set(at, { architecture })} />
          <TextField name={`training.${at}.machine`} label="Machine" maxLength={60} value={setup.machine} onChange={(machine) => set(at, { machine })} />
          <TextField name={`training.${at}.${setup.unit}`} label="Pace of one machine" inputMode="decimal" value={setup.pace} onChange={(pace) => set(at, { pace })} />
          <SelectField
            label="Unit of the pace"
            value={setup.unit}
            onChange={(unit) => set(at, { unit })}
            options={[
              ['images_per_second', 'images/s'],
              ['terabytes_per_day', 'TB a day, all epochs'],
            ]}
          />
          <TextField name={`training.${at}.epochs`} label="Epochs" inputMode="decimal" value={setup.epochs} onChange={(epochs) => set(at, { epochs })} />
          <TextField name={`training.${at}.machines`} label="Machines" inputMode="numeric" value={setup.machines} onChange={(machines) => set(at, { machines })} />
          <button type="button" className="button plain icon" aria-label={`Remove training ${at + 1}`} onClick={() => change(setups.filter((_, place) => place !== at))}>
            <X size={16} aria-hidden />
          </button>
        </div>
      ))}
      <button type="button" className="button little" onClick={() => change([...setups, emptySetup])}>
        <Plus size={14} aria-hidden />
        Add a training
      </button>
    </fieldset>
  )
}
