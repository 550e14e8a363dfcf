import './team.css'

import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'

import { useMay } from '../../shared/access/use-may'
import { queuesList } from '../../shared/api/lists'
import { queueQuery } from '../../shared/api/queries'
import { Picker } from '../../shared/picking/picker'
import { usePicked } from '../../shared/project-choice/picked'
import type { TeamSearch } from '../../shared/routes/people-search'
import { Empty, Failure, Skeleton } from '../../shared/ui/messages'
import { AgreementPanels } from './agreement-panels'
import { FiguresTable } from './figures-table'
import { figuresQuery } from './queries'
import { WaitingPanel } from './waiting-panel'

/** How far back the server looks where nobody says. */
const usual = 30
const spans = [7, 30, 90, 365] as const

/** How fast, how surely and how much alike people label; for an annotator, their own figures. */
export function TeamPage() {
  const search = useSearch({ from: '/inside/team' })
  const project = usePicked()
  const figures = useQuery(figuresQuery(search, project))
  const everybody = useMay('review')
  return (
    <div className="page">
      <header className="page-head">
        <h1>{everybody ? 'Team' : 'Your figures'}</h1>
        <span className="grow" />
        <Filters search={search} project={project} />
      </header>
      {everybody && <WaitingPanel />}
      {figures.isPending && <Skeleton height={160} />}
      {figures.isError && !figures.data?.length && (
        <Failure
          what="The figures could not be loaded"
          error={figures.error}
          retry={() => void figures.refetch()}
          elsewhere={<Link to="/team" className="button">To the figures of all queues</Link>}
        />
      )}
      {figures.data && figures.data.length > 0 && <FiguresTable figures={figures.data} />}
      {figures.isSuccess && figures.data.length === 0 && (
        <Empty
          action={
            <Link to="/label" className="button primary">
              To the queues
            </Link>
          }
        >
          {search.queue === undefined && search.days === undefined ? 'Nobody has labelled anything yet.' : 'Nobody labelled here in this time.'}
        </Empty>
      )}
      {everybody && search.queue !== undefined && <AgreementPanels key={search.queue} queue={search.queue} />}
      {everybody && search.queue === undefined && <p className="quiet">Choose a queue to see how much its annotators agree.</p>}
    </div>
  )
}

function Filters({ search, project }: { search: TeamSearch; project: string | null }) {
  const navigate = useNavigate()
  const go = ({ queue, days }: { queue: number | undefined; days: number | undefined }) =>
    void navigate({ to: '/team', search: { ...(queue === undefined ? {} : { queue }), ...(days === undefined ? {} : { days }) } })
  const chosen = useQuery({ ...queueQuery(search.queue ?? 0), enabled: search.queue !== undefined }).data?.name
  const number = (text: string) => (text === '' ? undefined : Number(text))
  return (
    <>
      <span className="row">
        <span className="quiet">Queue</span>
        <Picker
          aria-label="Queue"
          first={[{ value: '', words: 'All' }]}
          source={(q) => queuesList(project, { q })}
          choices={({ id, name }) => [{ value: String(id), words: name }]}
          value={String(search.queue ?? '')}
          {...(chosen === undefined ? {} : { shown: chosen })}
          onChange={(id) => go({ queue: number(id), days: search.days })}
        />
      </span>
      <label className="row">
        <span className="quiet">Time</span>
        <select className="field" value={search.days ?? (search.queue === undefined ? usual : '')} onChange={({ target }) => go({ queue: search.queue, days: number(target.value) })}>
          {search.queue !== undefined && <option value="">All of the queue</option>}
          {spans.map((days) => (
            <option key={days} value={days}>
              Last {days} days
            </option>
          ))}
        </select>
      </label>
    </>
  )
}
