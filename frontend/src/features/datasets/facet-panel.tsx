import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'

import type { Facets } from '../../shared/api/types'
import { count } from '../../shared/format/numbers'
import { type GridSearch, isSplit, without } from '../../shared/routes/grid-search'
import { Failure, Skeleton } from '../../shared/ui/messages'
import { Swatch } from '../../shared/ui/swatch'

interface FacetPanelProps {
  facets: UseQueryResult<Facets>
  classes: string[]
  search: GridSearch
  onChange: (search: GridSearch) => void
}

export function FacetPanel({ facets, classes, search, onChange }: FacetPanelProps) {
  const { split, label, labelled } = search
  const toggle = (part: GridSearch, name: keyof GridSearch, on: boolean) =>
    onChange(on ? without(search, name) : { ...search, ...part })
  if (facets.isError && !facets.data) return <Failure what="The counts could not be loaded" error={facets.error} />
  const { data } = facets
  return (
    <aside className="facets" aria-label="Filters">
      {!data && <Skeleton height={240} />}
      {data && (
        <>
          <FacetGroup title="Split" counts={data.split} chosen={split} onPick={(name, on) => isSplit(name) && toggle({ split: name }, 'split', on)} />
          <FacetGroup
            title="Label"
            counts={ordered(data.label, classes)}
            chosen={label}
            swatch={(name) => <Swatch classes={classes} name={name} />}
            onPick={(name, on) => toggle({ label: name }, 'label', on)}
          />
          <FacetGroup
            title="Labelled"
            counts={{ yes: data.labelled.true ?? 0, no: data.labelled.false ?? 0 }}
            chosen={labelled === undefined ? undefined : labelled ? 'yes' : 'no'}
            onPick={(name, on) => toggle({ labelled: name === 'yes' }, 'labelled', on)}
          />
        </>
      )}
    </aside>
  )
}

/** In the order of the dataset's classes, as everywhere; the server's object has its own. */
function ordered(counts: Record<string, number>, classes: string[]): [string, number][] {
  const place = (name: string) => (classes.includes(name) ? classes.indexOf(name) : classes.length)
  return Object.entries(counts).sort(([a], [b]) => place(a) - place(b))
}

interface FacetGroupProps {
  title: string
  counts: Record<string, number> | [string, number][]
  chosen: string | undefined
  swatch?: (name: string) => ReactNode
  onPick: (name: string, on: boolean) => void
}

function FacetGroup({ title, counts, chosen, swatch, onPick }: FacetGroupProps) {
  const entries = Array.isArray(counts) ? counts : Object.entries(counts)
  const most = Math.max(1, ...entries.map(([, amount]) => amount))
  if (entries.length === 0) return null
  return (
    <div role="group" aria-label={title}>
      <h2>{title}</h2>
      {entries.map(([name, amount]) => (
        <button
          key={name}
          type="button"
          className="facet"
          aria-pressed={chosen === name}
          onClick={() => onPick(name, chosen === name)}
        >
          {swatch?.(name)}
          <span className="grow cut" title={name}>
            {name}
          </span>
          <span className="facet-bar" aria-hidden>
            <span style={{ width: `${(amount / most) * 100}%` }} />
          </span>
          <span className="facet-count">{count(amount)}</span>
        </button>
      ))}
    </div>
  )
}
