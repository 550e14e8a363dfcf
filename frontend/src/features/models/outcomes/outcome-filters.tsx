import { Link, useNavigate } from '@tanstack/react-router'
import { X } from 'lucide-react'
import { useState } from 'react'

import type { Model, ModelVersionDetail, Outcomes } from '../../../shared/api/types'
import { amount } from '../../../shared/format/amount'
import { count } from '../../../shared/format/numbers'
import { type OutcomesSearch, outcomesSearch } from '../../../shared/routes/outcomes-search'
import { SelectField, TextField } from '../../../shared/ui/fields'
import { Form } from '../../../shared/ui/form'
import type { Judging } from '../../../tasktypes'
import { record } from '../reading'
import { boundWords } from './words'

const kinds = ['missed', 'wrong', 'said'] as const
const kindWords = { missed: 'Missed', wrong: 'Wrong', said: 'Said' }

interface OutcomeFiltersProps {
  model: Model
  detail: ModelVersionDetail
  search: OutcomesSearch
  judging: Judging
  counts: Outcomes['counts']
}

/** Which of them are listed: all of it stands in the address. */
export function OutcomeFilters({ model, detail, search, judging, counts }: OutcomeFiltersProps) {
  const navigate = useNavigate()
  const params = { model: model.name, version: String(detail.version) }
  const { kind, slice, order, threshold } = search
  // On what the address holds then: a field that is left by a click on a link was put there a moment before.
  const change = (part: { [Name in keyof OutcomesSearch]?: OutcomesSearch[Name] | undefined }) =>
    void navigate({ to: '/models/$model/$version/outcomes', params, search: (before) => outcomesSearch({ ...before, ...part }) })
  const slices = Object.entries(record(detail.slices)).flatMap(([name, told]) => ('not_computed' in record(told) ? [] : [name]))
  return (
    <div className="outcome-filters">
      {kind !== 'cell' && (
        <>
          <nav className="tabs" aria-label="Kind of error">
            {kinds.map((one) => (
              <Link key={one} to="/models/$model/$version/outcomes" params={params} search={(before) => outcomesSearch({ ...before, kind: one })} className="tab" aria-current={one === kind ? 'page' : undefined}>
                {kindWords[one]}
                {counts && <span className="quiet"> {count(one === 'said' ? counts.right + counts.wrong : counts[one])}</span>}
              </Link>
            ))}
          </nav>
          <SelectField label="Class" value={search.class ?? ''} onChange={(name) => change({ class: name === '' ? undefined : name })}>
            <option value="">all</option>
            {model.classes.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </SelectField>
        </>
      )}
      <ThresholdField key={threshold} threshold={threshold} objects={judging.objects ?? false} onChange={(value) => change({ threshold: value })} />
      {(slices.length > 0 || slice !== undefined) && (
        <SelectField label="Slice" value={slice ?? ''} onChange={(name) => change({ slice: name === '' ? undefined : name })}>
          <option value="">all samples</option>
          {[...new Set([...slices, ...(slice === undefined ? [] : [slice])])].map((name) => (
            <option key={name}>{name}</option>
          ))}
        </SelectField>
      )}
      {(search.score_from !== undefined || search.score_to !== undefined) && (
        <button type="button" className="button little" onClick={() => change({ score_from: undefined, score_to: undefined })}>
          {boundWords(search.score_from, search.score_to)} sure
          <X size={12} aria-hidden />
          <span className="visually-hidden">: remove this filter</span>
        </button>
      )}
      {search.right_in !== undefined && (
        <button type="button" className="button little" onClick={() => change({ right_in: undefined })}>
          told right by v{search.right_in}
          <X size={12} aria-hidden />
          <span className="visually-hidden">: remove this filter</span>
        </button>
      )}
      <SelectField label="Order" value={order ?? 'score'} onChange={(by) => change({ order: by === 'class' ? by : undefined })}>
        <option value="score">surest first</option>
        <option value="class">class by class</option>
      </SelectField>
    </div>
  )
}

interface ThresholdFieldProps {
  threshold: number | undefined
  objects: boolean
  onChange: (threshold: number | undefined) => void
}

/** It counts once it is left or sent. */
function ThresholdField({ threshold, objects, onChange }: ThresholdFieldProps) {
  const [typed, setTyped] = useState(threshold === undefined ? '' : String(threshold))
  const value = typed.trim() === '' ? undefined : amount(typed)
  const isFaulty = value === null || (value !== undefined && (value < 0 || value > 1))
  const put = () => {
    if (!isFaulty && value !== threshold) onChange(value)
  }
  return (
    <Form faults={{ threshold: isFaulty ? 'Type a number from 0 to 1.' : null }} onSend={put}>
      <TextField name="threshold" label={objects ? 'Lowest score' : 'Least sure'} className="threshold-field" inputMode="decimal" placeholder="as evaluated" value={typed} onChange={setTyped} onBlur={put} />
    </Form>
  )
}
