import type { CSSProperties } from 'react'

import { backgroundOf, cellOf, cellWords, matrixNames } from './confusion'
import { shade, strength } from './heat'
import { OutcomesLink } from './outcomes/errors-links'

interface ConfusionNumbersProps {
  matrix: readonly (readonly number[])[]
  classes: readonly string[]
  /** What the matrix is of, for those who hear it. */
  name: string
  /** Whose it is. */
  model: string
  version: number
}

/** A matrix with a number in each cell; one that counts something leads to what it counts. */
export function ConfusionNumbers({ matrix, classes, name, model, version }: ConfusionNumbersProps) {
  const names = matrixNames(matrix, classes)
  const background = backgroundOf(classes)
  return (
    // A scrolled region must be reachable by keyboard to be scrolled by it.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <div className="table-scroll" role="region" aria-label={name} tabIndex={0}>
      <table className={`matrix ${names.length > classes.length ? 'objects' : ''}`}>
        <thead>
          <tr>
            <td />
            {names.map((predicted) => (
              <th key={predicted} scope="col" title={predicted}>
                {predicted}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {matrix.map((row, at) => {
            const label = names[at] ?? ''
            return (
              <tr key={label}>
                <th scope="row" title={label}>
                  {label}
                </th>
                {row.map((samples, column) => {
                  const predicted = names[column] ?? ''
                  if (label === background && predicted === background) return <td key={predicted} aria-label="not counted" />
                  const words = `${cellWords(label, predicted, classes)}: ${samples}`
                  return (
                    <td
                      key={predicted}
                      className={samples === 0 ? 'none' : at === column ? 'right' : 'wrong'}
                      style={{ '--shade': `${shade(strength(matrix, { label: at, predicted: column }))}%` } as CSSProperties}
                      title={words}
                    >
                      {samples === 0 ? (
                        samples
                      ) : (
                        <OutcomesLink model={model} version={version} search={cellOf(label, predicted, classes)} aria-label={`${words}. Show them`}>
                          {samples}
                        </OutcomesLink>
                      )}
                    </td>
                  )
                })}
              </tr>
            )
          })}
        </tbody>
      </table>
    </div>
  )
}
