import { useNavigate, useSearch } from '@tanstack/react-router'

import { jobStates } from '../routes/mining-search'

/** Which state the listed jobs are in, kept in the address as `state`. */
export function StatePicker() {
  const { state }: { state?: string } = useSearch({ strict: false })
  const navigate = useNavigate()
  const put = (chosen: string) =>
    void navigate({ to: '.', search: ((before: object) => ({ ...before, state: chosen === '' ? undefined : chosen })) as never, replace: true })
  return (
    <select className="field" aria-label="State" value={state ?? ''} onChange={({ target }) => put(target.value)}>
      <option value="">every state</option>
      {jobStates.map((one) => (
        <option key={one}>{one}</option>
      ))}
    </select>
  )
}
