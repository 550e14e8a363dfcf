import './notifications-page.css'

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'

import type { components } from '../../shared/api/schema'
import { count, when } from '../../shared/format/numbers'
import { Chip } from '../../shared/ui/chip'
import { Empty, Failure, Skeleton } from '../../shared/ui/messages'
import { changeNotifications, notificationsQuery } from './query'

type Notifications = components['schemas']['Notifications']
type Notification = components['schemas']['Notification']

const base = '/app'

/** What waits for whoever is signed in, and whether they get mail about it. */
export function NotificationsPage() {
  const { data, error, refetch } = useQuery(notificationsQuery)
  const client = useQueryClient()
  const change = useMutation({
    mutationFn: changeNotifications,
    onSuccess: (changed) => client.setQueryData(notificationsQuery.queryKey, changed),
  })
  return (
    <div className="page">
      <header className="page-head">
        <h1 className="grow">Notifications</h1>
        {data && data.unseen > 0 && (
          <button type="button" className="button" disabled={change.isPending} onClick={() => change.mutate({ seen: true })}>
            Mark all as seen
          </button>
        )}
      </header>
      {change.isError && <Failure what="The change could not be saved" error={change.error} />}
      {!data && error === null && <Skeleton height={56} />}
      {!data && error !== null && <Failure what="The notifications could not be loaded" error={error} retry={() => void refetch()} />}
      {data && <Waiting rows={data.results} />}
      {data && data.left_out > 0 && <p className="quiet small">{count(data.left_out)} older queues, comments, jobs and rounds were not looked at: their own pages list them.</p>}
      {data && <Mail of={data} busy={change.isPending} onChange={(mail) => change.mutate({ mail })} />}
    </div>
  )
}

function Waiting({ rows }: { rows: readonly Notification[] }) {
  if (rows.length === 0) return <Empty>Nothing is waiting for you. Images to label, answers to review, failed jobs and rounds will be listed here.</Empty>
  return (
    <section className="panel" aria-label="What waits for you">
      <ul className="notifications">
        {rows.map((row) => (
          <li key={row.key} className="row">
            <span className="grow stack">
              <span className="row wrap">
                <Link to={row.path.slice(base.length)}>{row.title}</Link>
                {!row.seen && <Chip tone="live">New</Chip>}
              </span>
              <span className="quiet small">{[row.detail, row.project, when(row.at)].filter((words) => words !== '').join(' · ')}</span>
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

function Mail({ of, busy, onChange }: { of: Notifications; busy: boolean; onChange: (mail: boolean) => void }) {
  return (
    <section className="panel" aria-labelledby="mail">
      <div className="panel-head">
        <h2 id="mail">Mail</h2>
      </div>
      <div className="panel-body stack">
        <label className="row">
          <input type="checkbox" checked={of.mail} disabled={busy} onChange={({ target }) => onChange(target.checked)} />
          Send me mail about what waits for me, at most one an hour
        </label>
        <p className="quiet small">
          {of.mail_to === null
            ? 'No mail is sent now: the platform has no mail server, or you have no e-mail address. An owner can set both.'
            : `Mail goes to ${of.mail_to}, about what has waited for ten minutes and you have not seen here.`}
        </p>
      </div>
    </section>
  )
}
