import { Link } from '@tanstack/react-router'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import type { KeyboardEvent, ReactNode } from 'react'

import type { Difference, DiffKind, Sample } from '../../../shared/api/types'
import { count } from '../../../shared/format/numbers'
import { Dialog } from '../../../shared/ui/dialog'
import { ObjectList } from '../../../shared/ui/object-list'
import { RefusableButton } from '../../../shared/ui/refusable-button'
import { carriedChanges } from './attribute-changes'
import { changedFields, holdObjects, LabelMark } from './change-words'
import { Pictures } from './pictures'
import { fromWords, type VersionPair } from './queries'

interface DifferenceDrawerProps {
  difference: Difference
  kind: DiffKind
  classes: string[]
  pair: VersionPair
  place: number
  /** How many have been read so far. */
  known: number
  /** How many there are. */
  total: number
  onMove: (step: 1 | -1) => void
  onClose: () => void
}

/** One difference, large, with everything that the two versions say of it. */
export function DifferenceDrawer({ difference, kind, classes, pair, place, known, total, onMove, onClose }: DifferenceDrawerProps) {
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowRight') onMove(1)
    else if (event.key === 'ArrowLeft') onMove(-1)
    else return
    event.preventDefault()
  }
  const { key, before, after } = difference
  const carried = carriedChanges(before?.label ?? null, after?.label ?? null)
  return (
    <Dialog drawer wide onClose={onClose} title={key} onKeyDown={onKeyDown}>
      <div className="stack">
        <div className="row">
          <RefusableButton className="button icon" aria-label="Previous picture" refusal={place === 0 ? 'This is the first picture.' : null} onClick={() => onMove(-1)}>
            <ChevronLeft size={16} aria-hidden />
          </RefusableButton>
          <RefusableButton className="button icon" aria-label="Next picture" refusal={place === known - 1 ? 'This is the last picture.' : null} onClick={() => onMove(1)}>
            <ChevronRight size={16} aria-hidden />
          </RefusableButton>
          <span className="quiet">
            {count(place + 1)} of {count(total)}
          </span>
        </div>
        <div className="difference-large">
          <Pictures key={key} difference={difference} kind={kind} classes={classes} full />
        </div>
        {holdObjects(before, after) && kind !== 'changed' && (
          <p className="quiet small">Dashed: only in {fromWords(pair)}. Solid: only in v{pair.to}. Thin: in both.</p>
        )}
        <table className="table">
          <caption className="visually-hidden">The two versions of {key}</caption>
          <thead>
            <tr>
              <th scope="col">
                <span className="visually-hidden">Fact</span>
              </th>
              <th scope="col">{fromWords(pair)}</th>
              <th scope="col">v{pair.to}</th>
            </tr>
          </thead>
          <tbody>
            <Row name="Label" before={before} after={after} show={(sample) => <LabelMark sample={sample} classes={classes} />} />
            {carried.length > 0 && (
              <tr>
                <th scope="row">Changed objects</th>
                {(['before', 'after'] as const).map((side) => (
                  <td key={side}>
                    <ObjectList label={`Objects ${side}`} objects={carried.map((pair) => pair[side])} classes={classes} />
                  </td>
                ))}
              </tr>
            )}
            <Row name="Split" before={before} after={after} show={(sample) => sample.split} />
            <Row name="Image" before={before} after={after} show={(sample) => `${sample.width ?? '?'} × ${sample.height ?? '?'} px, ${sample.media_type}`} />
            <Row name="Digest (md5)" before={before} after={after} show={(sample) => <span className="mono">{sample.digest}</span>} />
            {changedFields(before, after).map((name) => (
              <Row key={name} name={name} before={before} after={after} show={(sample) => <span className="mono">{shown(sample.meta[name])}</span>} />
            ))}
          </tbody>
        </table>
        <p>
          <Link
            to="/datasets/$id"
            params={{ id: after ? pair.dataset : pair.fromDataset }}
            search={{ v: Number(after ? pair.to : pair.from), q: key }}
          >
            Show it in the grid of {after ? `v${pair.to}` : fromWords(pair)}
          </Link>
        </p>
      </div>
    </Dialog>
  )
}

interface RowProps {
  name: string
  before: Sample | null
  after: Sample | null
  show: (sample: Sample) => ReactNode
}

function Row({ name, before, after, show }: RowProps) {
  return (
    <tr>
      <th scope="row">{name}</th>
      <td>{before ? show(before) : 'not there'}</td>
      <td>{after ? show(after) : 'not there'}</td>
    </tr>
  )
}

function shown(value: unknown): string {
  if (value === undefined) return '–'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
