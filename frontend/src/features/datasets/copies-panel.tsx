import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'

import { useMay } from '../../shared/access/use-may'
import { api, take } from '../../shared/api/client'
import { count, plural } from '../../shared/format/numbers'
import { Failure } from '../../shared/ui/messages'

const whyNot = {
  conflicting: 'labelled copies carry different labels: correct them first',
  in_test: 'the labelled copy is in test',
  in_val: 'the labelled copy is in val',
} as const

/** Unlabelled samples of the pool with the bytes of labelled ones, and the offer to take over their labels. */
export function CopiesPanel({ id, project }: { id: string; project: string }) {
  const decides = useMay('review', project)
  const client = useQueryClient()
  const copies = useQuery({
    queryKey: ['datasets', id, 'copies'],
    queryFn: () => take(api.GET('/datasets/{reference}/copies', { params: { path: { reference: id } } })),
  })
  const takeOver = useMutation({
    mutationFn: (parent: number | null) =>
      take(api.POST('/datasets/{reference}/copies', { params: { path: { reference: id } }, body: { all: true, parent } })),
    onSuccess: () => client.invalidateQueries({ queryKey: ['datasets'] }),
  })
  if (copies.error) return <Failure what="The copies could not be loaded" error={copies.error} />
  const done = takeOver.data
  if (!copies.data || (copies.data.samples === 0 && !done)) return null
  const { samples, ready, left_out: out, version } = copies.data
  const reasons = (Object.keys(whyNot) as (keyof typeof whyNot)[]).filter((reason) => out[reason] > 0)
  return (
    <section className="panel panel-body stack" aria-label="Copies of labelled samples">
      <p>
        {plural(samples, 'unlabelled sample of the pool has', 'unlabelled samples of the pool have')} the bytes of labelled samples. They are neither mined nor queued.
      </p>
      {reasons.map((reason) => (
        <p key={reason} className="quiet">
          {count(out[reason])}: {whyNot[reason]}
        </p>
      ))}
      {decides && ready > 0 && (
        <button type="button" className="button" disabled={takeOver.isPending} onClick={() => takeOver.mutate(version)}>
          Take over {plural(ready, 'label')}
        </button>
      )}
      <p role="status" className="quiet">
        {done && `${plural(done.labelled, 'label')} taken over in version ${String(done.version)}.`}
      </p>
      {takeOver.error && <Failure what="The labels could not be taken over" error={takeOver.error} />}
    </section>
  )
}
