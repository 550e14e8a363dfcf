import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'

import { api, take } from '../api/client'
import { explain } from '../api/errors'
import { when } from '../format/numbers'
import { MoreRows } from '../lists/more-rows'
import { useList } from '../lists/pages'
import { projectsList } from '../api/lists'
import { PickField } from '../picking/pick-field'
import { useProjects } from '../project-choice/picked'
import { SelectField, TextField } from '../ui/fields'
import { Form, FormFault } from '../ui/form'
import { Empty, Failure, Skeleton } from '../ui/messages'
import { toast } from '../ui/toast-store'
import { lifetimes } from './lifetimes'
import { tokensList } from './queries'
import { SecretDialog } from './secret-dialog'
import type { AccessToken } from './types'

interface TokenListProps {
  person: number | 'me'
  /** Null where it is one's own list. */
  username: string | null
  /** It is a service account's, whose tokens always end. */
  service?: boolean
  /** Of these a token may be limited to one; by default those of whoever looks. */
  projects?: readonly string[] | undefined
}

/** The tokens of one person: make, see when each was used last, revoke. */
export function TokenList({ person, username, service = false, projects }: TokenListProps) {
  const tokens = useList(tokensList(person))
  return (
    <div className="stack wide-gap">
      <NewToken person={person} username={username} service={service} projects={projects} />
      {!tokens.rows && tokens.error === null && <Skeleton height={80} />}
      {!tokens.rows && tokens.error !== null && <Failure what="The tokens could not be loaded" error={tokens.error} retry={tokens.retry} />}
      {tokens.rows?.length === 0 && <Empty>{username === null ? 'You have' : `${username} has`} no token. Create one above{service ? ' for its program' : ' to sign in elsewhere'}.</Empty>}
      {tokens.rows && tokens.rows.length > 0 && <Rows person={person} tokens={tokens.rows} />}
      <MoreRows noun="tokens" reading={tokens} />
    </div>
  )
}

interface Draft {
  name: string
  scope: AccessToken['scope']
  days: string
  project: string
}
const emptyToken: Draft = { name: '', scope: 'all', days: '', project: '' }
const scopes = [['all', 'full access'] as const, ['read', 'read-only'] as const]
const forever = ['', 'never'] as const

function newToken({ name, scope, days, project }: Draft) {
  return { name, scope, ...(days === '' ? {} : { expires_in_days: Number(days) }), ...(project === '' ? {} : { project }) }
}

function NewToken({ person, username, service, projects }: TokenListProps) {
  const first: Draft = service ? { ...emptyToken, days: '90' } : emptyToken
  const [draft, setDraft] = useState(first)
  const { several } = useProjects()
  const change = (part: Partial<Draft>) => setDraft({ ...draft, ...part })
  const client = useQueryClient()
  const make = useMutation({
    mutationFn: () => take(api.POST('/people/{reference}/tokens', { params: { path: { reference: String(person) } }, body: newToken(draft) })),
    onSuccess: async () => {
      setDraft(first)
      await client.invalidateQueries({ queryKey: tokensList(person).queryKey })
    },
  })
  return (
    <>
      <Form sending={make}>
        <TextField name="name" label="New token" hint={`A name that says where it is used, such as ${service ? 'nightly import' : 'laptop'}.`} required maxLength={100} value={draft.name} onChange={(name) => change({ name })} />
        <div className="form-columns">
          <SelectField name="scope" label="Scope" hint={service ? undefined : 'A read-only token can’t sign in to the web app.'} value={draft.scope} onChange={(scope) => change({ scope })} options={scopes} />
          <SelectField name="expires_in_days" label="Expires" value={draft.days} onChange={(days) => change({ days })} options={service ? lifetimes : [forever, ...lifetimes]} />
          {several && (
            <PickField
              name="project"
              label="Where"
              hint="A token of one project can’t sign in to the web app either."
              first={[{ value: '', words: `in all ${username === null ? 'your' : 'their'} projects` }]}
              source={(q) => projectsList({ q })}
              choices={({ name }) => (projects === undefined || projects.includes(name) ? [{ value: name, words: `${name} only` }] : [])}
              value={draft.project}
              onChange={(project) => change({ project })}
            />
          )}
        </div>
        <div>
          <button type="submit" className="button" disabled={make.isPending || draft.name.trim() === ''}>
            {make.isPending ? 'Creating…' : 'Create a token'}
          </button>
        </div>
        <FormFault />
      </Form>
      {make.data && <SecretDialog title="New token" of={username} secret={make.data.secret} signsIn={!service && make.data.scope === 'all' && make.data.project === null} onClose={() => make.reset()} />}
    </>
  )
}

function Rows({ person, tokens }: { person: number | 'me'; tokens: readonly AccessToken[] }) {
  const client = useQueryClient()
  const [asked, setAsked] = useState<number | null>(null)
  const revoke = useMutation({
    mutationFn: ({ id }: AccessToken) =>
      take(api.DELETE('/people/{reference}/tokens/{id}', { params: { path: { reference: String(person), id } } })),
    onSuccess: async (_, { name }) => {
      toast('plain', `The token ${name} is revoked`)
      await client.invalidateQueries({ queryKey: tokensList(person).queryKey })
    },
    onError: (error, { name }) => toast('bad', `The token ${name} still works. ${explain(error)}`),
  })
  return (
    <div className="table-scroll">
      <table className="table">
        <caption className="visually-hidden">Tokens, the newest first</caption>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Made</th>
            <th scope="col">Last used</th>
            <th scope="col">Expires</th>
            <th scope="col">
              <span className="visually-hidden">Action</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {tokens.map((token) => (
            <tr key={token.id}>
              <th scope="row">
                {token.name} {token.scope === 'read' && <span className="quiet small">read-only</span>} {token.project !== null && <span className="quiet small">in {token.project} alone</span>}
              </th>
              <td className="quiet">{when(token.created)}</td>
              <td className="quiet">
                {token.last_used === null ? 'never' : when(token.last_used)}
                {token.last_address && ` from ${token.last_address}`}
              </td>
              <td className="quiet">{token.expires === null ? 'never' : `${new Date(token.expires) <= new Date() ? 'expired ' : ''}${when(token.expires)}`}</td>
              <td className="number">
                {asked === token.id ? (
                  <button type="button" className="button little" disabled={revoke.isPending} onClick={() => revoke.mutate(token)} onBlur={() => setAsked(null)}>
                    Revoke for good?<span className="visually-hidden"> {token.name}</span>
                  </button>
                ) : (
                  <button type="button" className="button little" onClick={() => setAsked(token.id)}>
                    Revoke<span className="visually-hidden"> {token.name}</span>
                  </button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
