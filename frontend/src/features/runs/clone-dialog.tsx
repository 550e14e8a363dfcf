import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'

import { api, take } from '../../shared/api/client'
import { architecturesQuery } from '../../shared/api/queries'
import type { Run } from '../../shared/api/types'
import { readConfig } from '../../shared/format/read-config'
import { Dialog } from '../../shared/ui/dialog'
import { DialogButtons } from '../../shared/ui/dialog-buttons'
import { Field, faultOf, FormFault } from '../../shared/ui/form'
import { toast } from '../../shared/ui/toast-store'

const fields = ['seed', 'version', 'architecture', 'config']

/** Trains again with what the run was given, changed where the form says so. */
export function CloneDialog({ run, onClose }: { run: Run; onClose: () => void }) {
  const [seed, setSeed] = useState(String(run.seed))
  const [version, setVersion] = useState(String(run.version))
  const [architecture, setArchitecture] = useState(run.architecture)
  const [config, setConfig] = useState('')
  const architectures = useQuery(architecturesQuery).data?.map(({ name }) => name) ?? [run.architecture]
  const client = useQueryClient()
  const navigate = useNavigate()
  const changes = readConfig(config)
  const clone = useMutation({
    mutationFn: () =>
      take(
        api.POST('/runs/{id}/clone', {
          params: { path: { id: run.id } },
          body: {
            seed: Number(seed),
            version,
            ...(architecture === run.architecture ? {} : { architecture }),
            ...(changes.config === null ? {} : { config: changes.config }),
          },
        }),
      ),
    onSuccess: async (made) => {
      await client.invalidateQueries({ queryKey: ['models', run.model] })
      toast('plain', `Run ${made.id} is queued`)
      onClose()
      void navigate({ to: '/runs/$id', params: { id: String(made.id) } })
    },
  })
  return (
    <Dialog open onClose={onClose} title={`Clone run ${run.id}`}>
      <form
        className="stack"
        onSubmit={(event) => {
          event.preventDefault()
          clone.mutate()
        }}
      >
        <Field label="Seed" hint="The same seed and settings give the same weights." fault={faultOf(clone.error, 'seed')}>
          {(joined) => <input {...joined} className="field" type="number" min={0} required value={seed} onChange={({ target }) => setSeed(target.value)} />}
        </Field>
        <Field label={`Version of ${run.dataset}`} hint="A number, a tag, an alias, or head." fault={faultOf(clone.error, 'version')}>
          {(joined) => <input {...joined} className="field" required value={version} onChange={({ target }) => setVersion(target.value)} />}
        </Field>
        <Field label="Architecture" fault={faultOf(clone.error, 'architecture')}>
          {(joined) => (
            <select {...joined} className="field" value={architecture} onChange={({ target }) => setArchitecture(target.value)}>
              {architectures.map((name) => (
                <option key={name}>{name}</option>
              ))}
            </select>
          )}
        </Field>
        <Field
          label="Changes to the config"
          hint={'JSON that is merged into what the run was given, such as {"recipe": {"steps": 500}}; null takes a key away.'}
          fault={changes.fault ?? faultOf(clone.error, 'config')}
        >
          {(joined) => <textarea {...joined} className="field mono" rows={3} value={config} onChange={({ target }) => setConfig(target.value)} />}
        </Field>
        <FormFault error={clone.error} fields={fields} />
        <DialogButtons pending={clone.isPending} doing="Starting…" blocked={changes.fault !== null} onClose={onClose}>
          Train
        </DialogButtons>
      </form>
    </Dialog>
  )
}
