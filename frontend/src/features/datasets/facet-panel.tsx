import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'

import { isStatus } from '../../shared/api/errors'
import type { Facets } from '../../shared/api/types'
import { count } from '../../shared/format/numbers'
import { type GridSearch, toggled, without } from '../../shared/routes/grid-search'
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
  const { predicted, correct } = search
  const add = (name: 'split' | 'label' | 'predicted') => (value: string) => onChange(toggled(search, name, value))
  if (isStatus(facets.error, 400) && !facets.data) {
    // Why stands where the tiles would.
    return (
      <aside className="facets" aria-label="Filters">
        <p className="quiet small">No counts for this filter.</p>
      </aside>
    )
  }
  if (facets.isError && !facets.data) return <Failure what="The counts could not be loaded" error={facets.error} />
  const { data } = facets
  return (
    <aside className="facets" aria-label="Filters">
      {!data && <Skeleton height={240} />}
      {data && (
        <>
          <FacetGroup title="Split" counts={withChosen(Object.entries(data.split), split)} chosen={split} onPick={add('split')} />
          <FacetGroup
            title="Class"
            counts={withChosen(ordered(data.label, classes), label)}
            chosen={label}
            swatch={(name) => <Swatch classes={classes} name={name} />}
            onPick={add('label')}
          />
          <FacetGroup
            title="Labelled"
            counts={[['yes', data.labelled.true ?? 0], ['no', data.labelled.false ?? 0]]}
            chosen={labelled === undefined ? [] : [labelled ? 'yes' : 'no']}
            onPick={(name) => onChange(labelled === (name === 'yes') ? without(search, 'labelled') : { ...search, labelled: name === 'yes' })}
          />
          {data.predicted && (
            <FacetGroup
              title="Predicted"
              counts={withChosen(ordered(data.predicted, classes), predicted)}
              chosen={predicted}
              swatch={(name) => <Swatch classes={classes} name={name} />}
              onPick={add('predicted')}
            />
          )}
          {data.correct && (
            <FacetGroup
              title="Prediction and label"
              counts={[['same', data.correct.true ?? 0], ['different', data.correct.false ?? 0]]}
              chosen={correct === undefined ? [] : [correct ? 'same' : 'different']}
              onPick={(name) => onChange(correct === (name === 'same') ? without(search, 'correct') : { ...search, correct: name === 'same' })}
            />
          )}
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

/** A value that is a filter stays in its list, though nothing has it, so that it can be taken away. */
function withChosen(counts: [string, number][], chosen: readonly string[] = []): [string, number][] {
  const absent = chosen.filter((name) => !counts.some(([known]) => known === name))
  return [...counts, ...absent.map((name): [string, number] => [name, 0])]
}

interface FacetGroupProps {
  title: string
  counts: [string, number][]
  /** The values that are filters now. */
  chosen: readonly string[] | undefined
  swatch?: (name: string) => ReactNode
  /** Adds the value to those chosen, or takes it away. */
  onPick: (name: string) => void
}

function FacetGroup({ title, counts, chosen = [], swatch, onPick }: FacetGroupProps) {
  const most = Math.max(1, ...counts.map(([, amount]) => amount))
  if (counts.length === 0) return null
  return (
    <div role="group" aria-label={title}>
      <h2>{title}</h2>
      {counts.map(([name, amount]) => (
        <button
          key={name}
          type="button"
          className="facet"
          aria-pressed={chosen.includes(name)}
          onClick={() => onPick(name)}
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
