import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'

import { useMay } from '../../../shared/access/use-may'
import type { EmbeddingMap } from '../../../shared/api/types'
import { labelText } from '../../../shared/format/labels'
import { count, plural } from '../../../shared/format/numbers'
import { mostIds } from '../../../shared/routes/grid-search'
import { Failure } from '../../../shared/ui/messages'
import { RefusableButton } from '../../../shared/ui/refusable-button'
import { QueueSelectionDialog } from './queue-selection-dialog'
import { selectedQuery } from './queries'
import { SliceSelectionDialog } from '../../../shared/slices/slice-selection-dialog'

interface SelectionPanelProps {
  id: string
  map: EmbeddingMap
  ids: readonly number[]
  onClear: () => void
}

const onePage = 60
/** What a saved filter holds. */
export const mostInSlice = 20_000

/** The pictures of what is selected, and what can be done with them. */
export function SelectionPanel({ id, map, ids, onClear }: SelectionPanelProps) {
  const [doing, setDoing] = useState<'queue' | 'slice' | 'mine' | null>(null)
  const [pages, setPages] = useState(1)
  const mayReview = useMay('review')
  const mayBuild = useMay('build')
  if (ids.length === 0) {
    return (
      <section className="map-selection" aria-label="Selection">
        <p className="quiet">Nothing is selected. Draw around points on the map, click one, or choose a group above.</p>
      </section>
    )
  }
  const tooMany = ids.length > mostInSlice ? `A saved selection holds at most ${count(mostInSlice)} samples: select fewer.` : null
  return (
    <section className="map-selection" aria-label="Selection">
      <div className="row wrap">
        <h2 className="grow">
          <span role="status">{plural(ids.length, 'sample')} selected</span>
        </h2>
        <button type="button" className="button little" onClick={onClear}>
          Clear
        </button>
      </div>
      <div className="row wrap">
        {mayReview && (
          <>
            <RefusableButton className="button primary" refusal={tooMany} onClick={() => setDoing('queue')}>
              Send to a queue…
            </RefusableButton>
            <RefusableButton className="button" refusal={tooMany} onClick={() => setDoing('slice')}>
              Save as a slice…
            </RefusableButton>
          </>
        )}
        {mayBuild && (
          <RefusableButton className="button" refusal={tooMany} onClick={() => setDoing('mine')}>
            Mine among them…
          </RefusableButton>
        )}
        {ids.length <= mostIds && (
          <Link to="/datasets/$id" params={{ id }} search={{ v: map.version, ids: ids.join(',') }} className="button">
            Open in the grid
          </Link>
        )}
      </div>
      {tooMany && mayReview && <p className="quiet small">At most {count(mostInSlice)} samples go into a queue or slice at once: select fewer.</p>}
      <ul className="map-pictures" aria-label="Selected samples">
        {Array.from({ length: pages }, (_, page) => (
          <Page key={page} map={map} ids={ids.slice(page * onePage, (page + 1) * onePage)} />
        ))}
      </ul>
      {ids.length > pages * onePage && (
        <div>
          <button type="button" className="button little" onClick={() => setPages(pages + 1)}>
            Show {count(Math.min(onePage, ids.length - pages * onePage))} more
          </button>
        </div>
      )}
      {doing === 'queue' && <QueueSelectionDialog map={map} ids={ids} onClose={() => setDoing(null)} />}
      {(doing === 'slice' || doing === 'mine') && <SliceSelectionDialog dataset={map.dataset} ids={ids} mine={doing === 'mine'} onClose={() => setDoing(null)} />}
    </section>
  )
}

function Page({ map, ids }: { map: EmbeddingMap; ids: readonly number[] }) {
  const samples = useQuery(selectedQuery(map, ids))
  if (samples.isError && !samples.data) {
    return (
      <li className="whole">
        <Failure what="These pictures could not be loaded" error={samples.error} retry={() => void samples.refetch()} />
      </li>
    )
  }
  if (!samples.data) return ids.map((id) => <li key={id} className="map-picture blank" />)
  return samples.data.map((sample) => (
    <li key={sample.id} className="map-picture">
      <Link to="/datasets/$id" params={{ id: map.dataset }} search={{ v: map.version, q: sample.key }} title={`${sample.key}: ${labelText(sample.label) ?? 'not labelled'}`}>
        <img src={sample.thumb} alt={sample.key} loading="lazy" width={72} height={72} className={Math.max(sample.width ?? 0, sample.height ?? 0) <= 96 ? 'pixels' : ''} />
      </Link>
    </li>
  ))
}
