import { useMutation } from '@tanstack/react-query'
import { X } from 'lucide-react'

import { useMay } from '../../../shared/access/use-may'
import { api, take } from '../../../shared/api/client'
import { explain } from '../../../shared/api/errors'
import type { VersionName } from '../../../shared/api/types'
import { when } from '../../../shared/format/numbers'
import { toast } from '../../../shared/ui/toast-store'

/** Who gave a version its names, and the way for owners to take them away. */
export function NameFacts({ id, project, names }: { id: string; project: string; names: VersionName[] }) {
  const owns = useMay('own', project)
  const remove = useMutation({
    mutationFn: ({ name, kind }: VersionName) => {
      const params = { params: { path: { reference: id, name } } }
      return take(kind === 'tag' ? api.DELETE('/datasets/{reference}/tags/{name}', params) : api.DELETE('/datasets/{reference}/aliases/{name}', params))
    },
    meta: { renews: [['datasets', id]] },
    onSuccess: (_, { name }) => {
      toast('plain', `${name} is taken away; the version stays`)
    },
    onError: (error) => toast('bad', explain(error)),
  })
  return (
    <ul>
      {names.map((named) => (
        <li key={named.name} className="row">
          <span className="small">
            <strong>{named.name}</strong>{' '}
            <span className="quiet">
              {named.protected && 'protected '}
              {named.kind} by {named.by}, {when(named.moved)}
            </span>
          </span>
          {owns && (
            <button type="button" className="button plain icon little" disabled={remove.isPending} onClick={() => remove.mutate(named)}>
              <X size={12} aria-hidden />
              <span className="visually-hidden">
                Remove the {named.kind} {named.name}
              </span>
            </button>
          )}
        </li>
      ))}
    </ul>
  )
}
