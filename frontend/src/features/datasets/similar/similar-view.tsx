import './similar.css'

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect } from 'react'

import { useMay } from '../../../shared/access/use-may'
import { api, take } from '../../../shared/api/client'
import type { Dataset, Embeddings } from '../../../shared/api/types'
import { count, plural } from '../../../shared/format/numbers'
import { CancelJob } from '../../../shared/live/cancel-job'
import { JobProgress } from '../../../shared/live/job-progress'
import { Picker } from '../../../shared/picking/picker'
import type { GridSearch } from '../../../shared/routes/grid-search'
import { Empty, Failure, Skeleton } from '../../../shared/ui/messages'
import { selectionOf } from '../queries'
import { SaveFound } from '../words/save-found'
import { WordsAbout } from '../words/words-about'
import { WordsUnknown } from '../words/words-unknown'
import { comparedByList, embeddingsQuery } from './queries'
import type { SimilarTo } from './similar-to'

/** The server lists no more of one search. */
const mostListed = 10_000

interface SimilarViewProps {
  dataset: Dataset
  search: GridSearch
  wanted: SimilarTo
  onChange: (search: GridSearch) => void
  /** The grid. */
  children: ReactNode
}

/** The grid ordered by similarity, or what it lacks for that and the way to it. */
export function SimilarView({ dataset, search, wanted, onChange, children }: SimilarViewProps) {
  const selection = selectionOf(dataset.name, search)
  return (
    <div className="similar-view">
      {wanted.words === null && <ByModel dataset={dataset} search={search} onChange={onChange} />}
      <Covered dataset={dataset} version={search.v ?? 'head'} wanted={wanted}>
        {wanted.words !== null && <WordsUnknown selection={selection} similar={wanted} />}
        <SaveFound
          dataset={dataset}
          selection={selection}
          similar={wanted}
          onSaved={(slice) => onChange({ ...(search.v === undefined ? {} : { v: search.v }), slice })}
        />
        {children}
      </Covered>
    </div>
  )
}

interface CoveredProps {
  dataset: Dataset
  version: number | 'head'
  wanted: SimilarTo
  children: ReactNode
}

function Covered({ dataset, version, wanted, children }: CoveredProps) {
  const client = useQueryClient()
  const query = useQuery(embeddingsQuery(dataset.name, version, wanted))
  const embedded = query.data?.embedded
  const readsWords = query.data?.words?.ready
  useEffect(() => {
    if (embedded !== undefined) void client.invalidateQueries({ queryKey: ['datasets', dataset.name, 'similar'] })
  }, [client, dataset.name, embedded, readsWords])
  if (query.isPending) return <Skeleton height={240} />
  if (!query.data) return <Failure what="The embeddings could not be counted" error={query.error} retry={() => void query.refetch()} />
  const { data } = query
  const byWords = wanted.words !== null
  if (data.embedded === 0 || (byWords && readsWords !== true)) {
    return (
      <>
        {byWords && <WordsAbout found={data} />}
        <NoneYet dataset={dataset} version={version} found={data} byWords={byWords} />
      </>
    )
  }
  return (
    <>
      {byWords && <WordsAbout found={data} />}
      {(data.missing > 0 || data.unreadable > 0) && <Lacking dataset={dataset} version={version} found={data} />}
      {data.embedded > mostListed && <p className="quiet small similar-most">Of more, the {count(mostListed)} most similar are shown.</p>}
      {children}
    </>
  )
}

interface FoundProps {
  dataset: Dataset
  version: number | 'head'
  found: Embeddings
}

function NoneYet({ dataset, version, found, byWords }: FoundProps & { byWords: boolean }) {
  const mayBuild = useMay('build', dataset.project)
  if (found.job) return <Computing found={found} />
  if (found.missing === 0 && found.embedded === 0) return <Empty>None of the {plural(found.samples, 'image')} of this version can be read by {found.by}.</Empty>
  return (
    <Empty action={mayBuild && <Compute dataset={dataset} version={version} found={found} primary />}>
      {found.embedded === 0
        ? `${byWords ? 'Samples are compared with words' : 'Similar samples are found'} by embeddings, and version ${found.version} has none by ${found.by} yet. They are computed once for each image.`
        : 'The images have embeddings; what reads words beside them is made once, in some seconds.'}
      {!mayBuild && ' Ask an engineer or an owner of the project to compute them.'}
    </Empty>
  )
}

/** Some samples are not compared: how many, and what can be done about it. */
function Lacking({ dataset, version, found }: FoundProps) {
  const mayBuild = useMay('build', dataset.project)
  const { missing, unreadable, samples, job, by } = found
  return (
    <div className="similar-lacking" role="status">
      {missing > 0 && (
        <span>
          {count(missing)} of {plural(samples, 'sample')} {missing === 1 ? 'has' : 'have'} no embedding yet and {missing === 1 ? 'is' : 'are'} not compared.
        </span>
      )}
      {unreadable > 0 && (
        <span className="quiet">
          {plural(unreadable, 'image')} can&rsquo;t be read by {by}.
        </span>
      )}
      {missing > 0 && job && <Computing found={found} />}
      {missing > 0 && !job && mayBuild && <Compute dataset={dataset} version={version} found={found} />}
    </div>
  )
}

function Computing({ found: { job } }: { found: Embeddings }) {
  if (!job) return null
  return (
    <div className="stack similar-job">
      <JobProgress id={job.id} what="Computing embeddings" safe="What was computed is kept. Start it again to compute the rest.">
        {() => <p className="quiet">Reading…</p>}
      </JobProgress>
      <div>
        <CancelJob job={job} little />
      </div>
    </div>
  )
}

function Compute({ dataset, version, found, primary = false }: FoundProps & { primary?: boolean }) {
  const client = useQueryClient()
  const key = embeddingsQuery(dataset.name, version, found).queryKey
  const start = useMutation({
    mutationFn: () =>
      take(
        api.POST('/datasets/{reference}/versions/{number}/embeddings', {
          params: { path: { reference: dataset.name, number: String(version) } },
          body: { model: found.model, encoder: found.encoder },
        }),
      ),
    onSuccess: (told) => client.setQueryData(key, told),
  })
  return (
    <>
      <button type="button" className={`button ${primary ? 'primary' : 'little'}`} disabled={start.isPending} onClick={() => start.mutate()}>
        {start.isPending ? 'Starting…' : primary ? 'Compute embeddings' : found.missing === 1 ? 'Compute it' : 'Compute them'}
      </button>
      {start.error && <Failure what="The embeddings could not be started" error={start.error} />}
    </>
  )
}

const imagenet = [{ value: '', words: 'ImageNet features, without a model of yours' }]

/** Whose embeddings are compared: a model's, known by the @ in its name, or an encoder's. */
function ByModel({ dataset, search, onChange }: Omit<SimilarViewProps, 'children' | 'wanted'>) {
  const { by, encoder, ...rest } = search
  const choose = (name: string) => onChange(name === '' ? rest : { ...rest, ...(name.includes('@') ? { by: name } : { encoder: name }) })
  return (
    <span className="row similar-by">
      <span className="quiet">Compared by</span>
      <Picker aria-label="Compared by" first={imagenet} source={(q) => comparedByList(dataset.project, q)} choices={({ value, words = value }) => [{ value, words }]} value={encoder ?? by ?? ''} onChange={choose} />
    </span>
  )
}
