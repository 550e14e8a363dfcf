import './jobs.css'

import { useInfiniteQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'

import { useMay } from '../../shared/access/use-may'
import { explainRecorded, faultOf } from '../../shared/api/errors'
import type { Job } from '../../shared/api/types'
import { duration, plural, when } from '../../shared/format/numbers'
import { JobCell } from '../../shared/lists/job-cell'
import { ListFrame } from '../../shared/lists/list-frame'
import { readingOf } from '../../shared/lists/pages'
import { SearchBox } from '../../shared/lists/search-box'
import { StatePicker } from '../../shared/lists/state-picker'
import { Table } from '../../shared/lists/table'
import { NoneYet } from '../../shared/project-choice/none-yet'
import { usePicked } from '../../shared/project-choice/picked'
import { jobsSearch } from '../../shared/routes/jobs-search'
import { Chip } from '../../shared/ui/chip'
import { Empty } from '../../shared/ui/messages'
import { PageLink } from '../../shared/ui/page-link'
import { kindWords, placeWords } from './kinds'
import { jobsList } from './queries'
import { RetryButton } from './retry-button'

const columns = ['Job', 'State', 'About', { name: 'Duration', number: true }, 'Started'] as const

export function JobsPage() {
  const search = useSearch({ from: '/inside/jobs' })
  const jobs = useInfiniteQuery(jobsList(search, usePicked()))
  const reading = readingOf<Job>(jobs)
  useForgottenKind(faultOf(jobs.error, 'kind') !== null)
  return (
    <ListFrame
      title="Jobs"
      noun="jobs"
      reading={reading}
      filters={
        <>
          <SearchBox label="Search jobs by title, kind or number" placeholder="Title, kind, number" />
          <StatePicker />
          <KindPicker kinds={jobs.data?.pages[0]?.kinds ?? []} />
        </>
      }
      action={
        <Link to="/workers" className="button">
          Workers
        </Link>
      }
      empty={<NoJobs />}
      safe="Jobs continue without this page."
      table={
        <Table caption="Jobs, newest first" columns={columns} className="jobs">
          {reading.rows?.map((job) => (
            <JobRow key={job.id} job={job} />
          ))}
        </Table>
      }
    />
  )
}

/** Only the server knows all kinds: one that it refuses leaves the address. */
function useForgottenKind(refused: boolean): void {
  const navigate = useNavigate({ from: '/jobs' })
  useEffect(() => {
    if (refused) void navigate({ search: (before) => jobsSearch({ ...before, kind: undefined }), replace: true })
  }, [refused, navigate])
}

function NoJobs() {
  return (
    <Empty
      action={
        <Link to="/pipelines" className="button primary">
          To the pipelines
        </Link>
      }
    >
      <NoneYet of="jobs" /> Start a round of a pipeline to create the first one.
    </Empty>
  )
}

function KindPicker({ kinds }: { kinds: readonly string[] }) {
  const { kind } = useSearch({ from: '/inside/jobs' })
  const navigate = useNavigate({ from: '/jobs' })
  const put = (chosen: string) => void navigate({ search: (before) => jobsSearch({ ...before, kind: chosen }), replace: true })
  return (
    <select className="field" aria-label="Kind" value={kind ?? ''} onChange={({ target }) => put(target.value)}>
      <option value="">every kind</option>
      {kind !== undefined && !kinds.includes(kind) && <option value={kind}>{kindWords(kind)}</option>}
      {kinds.map((one) => (
        <option key={one} value={one}>
          {kindWords(one)}
        </option>
      ))}
    </select>
  )
}

function JobRow({ job }: { job: Job }) {
  const mayBuild = useMay('build')
  const error = explainRecorded(job.error)
  return (
    <tr>
      <th scope="row">
        <Link to="/jobs/$id" params={{ id: String(job.id) }} className="cut name" title={job.title}>
          {job.title}
        </Link>
        <p className="quiet small">
          {kindWords(job.kind)} · {job.id}
        </p>
      </th>
      <td className="job-state">
        <JobCell job={job} />
        {job.failed_shards > 0 && <Chip tone="bad">{plural(job.failed_shards, 'failed shard')}</Chip>}
        {job.retriable && mayBuild && <RetryButton job={job} little />}
        {error !== null && job.state === 'failed' && <p className="small wrong">{error}</p>}
      </td>
      <td>{job.href.startsWith('/jobs/') ? '–' : <PageLink href={job.href}>{placeWords(job.href)}</PageLink>}</td>
      <td className="number">{took(job)}</td>
      <td className="quiet">{when(job.created)}</td>
    </tr>
  )
}

function took({ started, finished }: Job): string {
  return started === null || finished === null ? '–' : duration((Date.parse(finished) - Date.parse(started)) / 1_000)
}
