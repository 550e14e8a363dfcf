import { useMutation } from '@tanstack/react-query'
import { Filter } from 'lucide-react'
import { useState } from 'react'

import { ApiProblem, explain, faultOf } from '../../../shared/api/errors'
import { FilterInput } from '../../../shared/filters/filter-input'
import { checkFilter } from '../../../shared/filters/queries'
import type { GridSearch } from '../../../shared/routes/grid-search'
import { Form } from '../../../shared/ui/form'

interface FilterBarProps {
  id: string
  search: GridSearch
  onChange: (search: GridSearch) => void
  /** Whether what is typed was refused: nothing is chosen by it then. */
  onRefused?: (refused: boolean) => void
}

/** Chooses samples by a filter's text. Enter asks the server, which says where a fault is. */
export function FilterBar({ id, search, onChange, onRefused }: FilterBarProps) {
  const { filter, ...rest } = search
  const [text, setText] = useState(filter ?? '')
  const check = useMutation({
    mutationFn: (wanted: string) => checkFilter(id, wanted, search.v ?? 'head'),
    onSuccess: (checked) => {
      setText(checked.text)
      onChange({ ...rest, filter: checked.text })
    },
    onError: () => onRefused?.(true),
  })
  const fault = check.error && (faultOf(check.error, 'filter') ?? explain(check.error))
  return (
    <Form className="filter-bar" role="search" aria-label="Filter" onSend={() => (text.trim() === '' ? onChange(rest) : check.mutate(text))}>
      <span className="row">
        <Filter size={14} aria-hidden />
        <FilterInput
          dataset={id}
          value={text}
          onChange={(wanted) => {
            setText(wanted)
            if (check.isError) {
              check.reset()
              onRefused?.(false)
            }
          }}
          position={placeOf(check.error)}
          placeholder="Filter, like  split = train and not tag = blurry"
          joined={{ 'aria-label': 'Filter', 'aria-invalid': check.isError, 'aria-describedby': 'filter-fault' }}
        />
        <button type="submit" className="button" disabled={check.isPending}>
          {check.isPending ? 'Looking…' : 'Apply'}
        </button>
      </span>
      <p id="filter-fault" className="small form-fault" role="alert" hidden={fault === null}>
        {fault}
      </p>
    </Form>
  )
}

function placeOf(error: unknown): number | undefined {
  const position = error instanceof ApiProblem ? (error.problem as { position?: unknown }).position : undefined
  return typeof position === 'number' ? position : undefined
}
