import { useMutation } from '@tanstack/react-query'

import { useRights } from '../../shared/access/use-may'
import { api, take } from '../../shared/api/client'
import type { Job } from '../../shared/api/types'

const priorities = ['high', 'normal', 'low'] as const

/** Lets an open job go before or after the others of its project, for those who may. */
export function Priority({ job }: { job: Job }) {
  const change = useMutation({
    mutationFn: (priority: Job['priority']) => take(api.PATCH('/jobs/{id}', { params: { path: { id: job.id } }, body: { priority } })),
    meta: { renews: [['jobs']], refused: 'The priority is what it was.' },
  })
  const may = useRights()
  const mayChange = job.project === null ? may('administer') : may('build', job.project)
  if (!mayChange) return <span className="quiet small">{job.priority} priority</span>
  return (
    <label className="row small">
      Priority
      <select className="field" value={change.isPending ? change.variables : job.priority} disabled={change.isPending} onChange={({ target }) => change.mutate(target.value as Job['priority'])}>
        {priorities.map((priority) => (
          <option key={priority}>{priority}</option>
        ))}
      </select>
    </label>
  )
}
