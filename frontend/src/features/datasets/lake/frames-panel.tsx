import { useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'

import type { Dataset, Lake, LakeFrame } from '../../../shared/api/types'
import { bytes } from '../../../shared/format/numbers'
import { TextField } from '../../../shared/ui/fields'
import { Form } from '../../../shared/ui/form'
import { Empty, Skeleton } from '../../../shared/ui/messages'
import { conditions, columnWords } from './conditions'
import { framesQuery, type Asked } from './queries'

const everything: Asked = { prefix: '', after: '', where: [] }

/** Frames by key, from any key on. */
export function FramesPanel({ dataset, lake }: { dataset: Dataset; lake: Lake }) {
  const [asked, setAsked] = useState(everything)
  const [draft, setDraft] = useState({ prefix: '', after: '', where: '' })
  const frames = useInfiniteQuery(framesQuery(dataset.name, asked))
  const change = (part: Partial<typeof draft>) => setDraft({ ...draft, ...part })
  return (
    <section className="stack" aria-labelledby="lake-frames">
      <h2 id="lake-frames">Frames</h2>
      <Form
        className="lake-asked"
        sending={{ isPending: frames.isFetching, error: frames.error }}
        onSend={() => setAsked({ prefix: draft.prefix, after: draft.after, where: conditions(draft.where) })}
        action="Show"
        doing="Looking…"
      >
        <TextField name="prefix" label="Keys that begin with" placeholder="drive-0007/" value={draft.prefix} onChange={(prefix) => change({ prefix })} />
        <TextField name="after" label="Behind the key" value={draft.after} onChange={(after) => change({ after })} />
        <TextField name="where" label="Conditions" hint={columnWords(lake.columns)} placeholder="width>=640" value={draft.where} onChange={(where) => change({ where })} />
      </Form>
      <Found frames={frames} />
    </section>
  )
}

function Found({ frames }: { frames: ReturnType<typeof useInfiniteQuery<{ results: LakeFrame[]; next: string | null }>> }) {
  if (frames.isPending) return <Skeleton height={240} />
  const rows = frames.data?.pages.flatMap(({ results }) => results) ?? []
  return (
    <>
      {rows.length === 0 && !frames.error && <Empty>{frames.hasNextPage ? 'None of the frames looked at so far passes.' : 'No frame of this lake passes.'}</Empty>}
      <ul className="lake-frames" aria-label="Frames">
        {rows.map((frame) => (
          <li key={frame.key}>
            <a href={frame.url} target="_blank" rel="noreferrer">
              <img src={frame.thumb} alt={frame.key} loading="lazy" decoding="async" width={96} height={96} />
            </a>
            <span className="cut mono small" title={frame.key}>
              {frame.key}
            </span>
            <span className="quiet small">
              {frame.width} × {frame.height}, {bytes(frame.size)}
              {frame.sample && ', a sample'}
            </span>
          </li>
        ))}
      </ul>
      {frames.hasNextPage && (
        <button type="button" className="button" disabled={frames.isFetchingNextPage} onClick={() => void frames.fetchNextPage()}>
          {rows.length === 0 ? 'Look further' : 'Show more'}
        </button>
      )}
    </>
  )
}
