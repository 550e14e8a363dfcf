import type { CSSProperties } from 'react'

import { percent, plural } from '../../shared/format/numbers'
import type { Agreement, AnnotatorPair } from './types'
import { heat, pairFigure, pairOf } from './words'

/** Annotator × annotator. Colour repeats what the number and the word say. */
export function AgreementMatrix({ agreement: { people, pairs, kind } }: { agreement: Agreement }) {
  return (
    <div className="stack">
      {/* A scrolled region must be reachable by keyboard to be scrolled by it. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className="table-scroll" role="region" aria-label="Agreement matrix" tabIndex={0}>
        <table className="agreement">
          <caption className="visually-hidden">{kind === 'boxes' ? 'Mean overlap of each pair' : 'Cohen’s kappa of each pair'}</caption>
          <thead>
            <tr>
              <td />
              {people.map(({ id, username }) => (
                <th key={id} scope="col" className="cut" title={username}>
                  {username}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {people.map((row) => (
              <tr key={row.id}>
                <th scope="row" className="cut" title={row.username}>
                  {row.username}
                </th>
                {people.map((column) => (
                  <Cell key={column.id} self={row.id === column.id} pair={pairOf(pairs, row.id, column.id)} />
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className="quiet small">
        {kind === 'boxes'
          ? 'The mean overlap (IoU) of the boxes that two people drew of the same thing.'
          : 'Cohen’s kappa: 1 is perfect agreement, 0 is what chance alone would give. Words after Landis and Koch.'}
      </p>
    </div>
  )
}

function Cell({ self, pair }: { self: boolean; pair: AnnotatorPair | undefined }) {
  const figure = pair && pairFigure(pair)
  if (self) return <td className="self" aria-label="the same person" />
  if (!pair || !figure) return <td className="quiet">–</td>
  return (
    <td
      style={{ '--heat': `${heat(figure.value)}%` } as CSSProperties}
      title={`${plural(pair.both, 'task')} in common, the same answer on ${percent(pair.agree / pair.both, 0)}`}
    >
      <strong>{figure.value.toFixed(2)}</strong>
      <span className="small">{figure.word}</span>
      <span className="small">{plural(pair.both, 'task')}</span>
    </td>
  )
}
