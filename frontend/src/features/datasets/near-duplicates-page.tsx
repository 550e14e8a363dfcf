import './datasets.css'
import './near-duplicates.css'

import { useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'

import { useMay } from '../../shared/access/use-may'
import { api, take } from '../../shared/api/client'
import type { NearDuplicate } from '../../shared/api/types'
import { count, plural } from '../../shared/format/numbers'
import { Empty, Failure, Skeleton } from '../../shared/ui/messages'
import { CopiesPanel } from './copies-panel'
import { DatasetFrame } from './dataset-frame'
import { LeakCheck } from './leak-check'

const pageSize = 60

/** Pairs that show nearly the same, side by side, with the decision whether the one outside test is trained on. */
export function NearDuplicatesPage() {
  const { id } = useParams({ from: '/inside/datasets/$id/near-duplicates' })
  return (
    <DatasetFrame id={id}>
      {(dataset) => (
        <div className="page stack">
          <LeakCheck id={id} dataset={dataset} />
          <CopiesPanel id={id} project={dataset.project} />
          <Pairs id={id} project={dataset.project} />
        </div>
      )}
    </DatasetFrame>
  )
}

function Pairs({ id, project }: { id: string; project: string }) {
  const decides = useMay('review', project)
  const client = useQueryClient()
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [said, setSaid] = useState('')
  const pages = useInfiniteQuery({
    queryKey: ['datasets', id, 'near-duplicates', 'pairs'],
    queryFn: ({ pageParam }) =>
      take(
        api.GET('/datasets/{reference}/near-duplicates', {
          params: { path: { reference: id }, query: { limit: pageSize, ...(pageParam ? { cursor: pageParam } : {}) } },
        }),
      ),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next ?? undefined,
  })
  const decide = useMutation({
    mutationFn: ({ decision, keys }: { decision: 'allow' | 'keep_out'; keys: string[] | null }) =>
      take(
        api.POST('/datasets/{reference}/near-duplicates', {
          params: { path: { reference: id } },
          body: keys ? { decision, keys, all: false } : { decision, all: true },
        }),
      ),
    onSuccess: async ({ near_duplicates: decided, moved, version }) => {
      setChosen(new Set())
      setSaid(`${plural(decided, 'near-duplicate')} decided, ${plural(moved, 'sample')} moved${version === null ? '' : ` in version ${version}`}.`)
      await client.invalidateQueries({ queryKey: ['datasets'] })
    },
  })
  if (pages.isPending) return <Skeleton height={320} />
  const first = pages.data?.pages[0]
  if (!first) return <Failure what="The near-duplicates could not be loaded" error={pages.error} retry={() => void pages.refetch()} />
  const rows = pages.data?.pages.flatMap(({ results }) => results) ?? []
  if (rows.length === 0) return <Empty>No image of this dataset is a near-duplicate of a test image.</Empty>
  const toggle = (key: string) => {
    const changed = new Set(chosen)
    if (!changed.delete(key)) changed.add(key)
    setChosen(changed)
  }
  const { kept_out: out, kept_out_labelled: labelled, in_train: leaking, allowed, unchecked } = first.counts
  const keys = chosen.size > 0 ? [...chosen] : null
  const whom = keys ? plural(keys.length, 'chosen one', 'chosen ones') : 'all'
  return (
    <>
      <p>
        {plural(out, 'image is', 'images are')} kept out of train ({count(labelled)} labelled), because a test image shows nearly the same; {count(allowed)}{' '}
        allowed. They are not mined either.
      </p>
      {leaking > 0 && (
        <p className="message warn">
          {plural(leaking, 'image is', 'images are')} in train though a test image shows nearly the same: models are trained on {leaking === 1 ? 'it' : 'them'} until you
          keep {leaking === 1 ? 'it' : 'them'} out, which moves {leaking === 1 ? 'it' : 'them'} to the pool.
        </p>
      )}
      {unchecked > 0 && <p className="quiet">{count(unchecked)} were found by an older rule: “lode dataset near-duplicates --check” looks at them again.</p>}
      {decides && (
        <div className="row">
          <button type="button" className="button" disabled={decide.isPending} onClick={() => decide.mutate({ decision: 'allow', keys })}>
            Allow {whom} in train
          </button>
          <button type="button" className="button" disabled={decide.isPending} onClick={() => decide.mutate({ decision: 'keep_out', keys })}>
            Keep {whom} out
          </button>
          <span className="quiet" role="status">
            {said}
          </span>
        </div>
      )}
      {decide.error && <Failure what="The decision could not be saved" error={decide.error} />}
      <ul className="pairs" aria-label="Near-duplicates">
        {rows.map((row) => (
          <Pair key={`${row.key} ${row.found_by}`} row={row} chosen={chosen.has(row.key)} onToggle={decides ? () => toggle(row.key) : null} />
        ))}
      </ul>
      {pages.hasNextPage && (
        <button type="button" className="button" disabled={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
          Show more
        </button>
      )}
    </>
  )
}

function Pair({ row, chosen, onToggle }: { row: NearDuplicate; chosen: boolean; onToggle: (() => void) | null }) {
  return (
    <li className="pair">
      <label className="pair-head">
        {onToggle && <input type="checkbox" checked={chosen} onChange={onToggle} />}
        <span className="grow">{standing(row)}</span>
        <span className="quiet">{row.found_by}</span>
      </label>
      <div className="pair-pictures">
        <Picture src={row.thumb} name={row.key} where={row.split ?? 'not in the newest version'} />
        <Picture src={row.of_thumb} name={row.of} where={row.of_thumb ? 'test' : 'not in the newest version'} />
      </div>
    </li>
  )
}

function standing({ allowed, split }: NearDuplicate) {
  if (allowed) return 'Allowed'
  if (split === 'train') return 'In train: not decided'
  return split === 'val' ? 'Stays in val, kept out of train' : 'Kept out of train'
}

function Picture({ src, name, where }: { src: string | null; name: string; where: string }) {
  return (
    <figure>
      {src ? <img src={src} alt={name} loading="lazy" decoding="async" /> : <span className="pair-blank" />}
      <figcaption>
        <span className="cut mono" title={name}>
          {name}
        </span>
        <span className="quiet">{where}</span>
      </figcaption>
    </figure>
  )
}
