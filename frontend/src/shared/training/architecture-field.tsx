import { useQuery } from '@tanstack/react-query'

import { architecturesFor } from '../api/architectures'
import { architecturesQuery } from '../api/queries'
import { SelectField } from '../ui/fields'
import { recommendationQuery } from './queries'

interface ArchitectureFieldProps {
  /** '' for the recommended one. */
  value: string
  onChange: (architecture: string) => void
  /** '' while none is chosen. */
  dataset: string
  /** Architectures that learn something else are not offered. Undefined while it is not known. */
  task: string | undefined
  /** One must be named: the recommended one is only said. */
  named?: boolean
  /** All trainings are of one architecture, so `auto` can't be chosen. */
  fixed?: boolean
}

const auto = 'auto'

/** Chooses an architecture; the first option is the one that suits the dataset's images, and the hint says why. */
export function ArchitectureField({ value, onChange, dataset, task, named = false, fixed = false }: ArchitectureFieldProps) {
  const architectures = architecturesFor(task, useQuery(architecturesQuery).data ?? [])
  const { data, isLoading } = useQuery({ ...recommendationQuery(dataset), enabled: dataset !== '' })
  const recommended = fixed ? data : data?.learner
  const why = recommended?.reason ?? (isLoading ? 'Looking at its images…' : 'Choose the dataset first: the recommendation depends on its images.')
  const other = recommended !== undefined && value !== '' && value !== recommended.architecture
  return (
    <SelectField name="architecture" label="Architecture" hint={other ? `Recommended: ${recommended.architecture}. ${why}` : why} value={value} onChange={onChange}>
      {!named && <option value="">{recommended ? `${recommended.architecture} (recommended)` : 'the recommended one'}</option>}
      {named && (value === auto || recommended?.architecture === auto) && <option>{auto}</option>}
      {architectures.map(({ name }) => (
        <option key={name}>{name}</option>
      ))}
    </SelectField>
  )
}
