import { percent } from '../../shared/format/numbers'
import type { Figure } from './evaluation'

/** `93.4 %` with its 95 % interval beside it. */
export function FigureText({ figure: { value, interval }, words = percent }: { figure: Figure; words?: (value: number) => string }) {
  if (value === null) return <>–</>
  return (
    <>
      {words(value)}
      {interval && (
        <span className="quiet small figure-interval">
          {' '}
          {words(interval[0])} to {words(interval[1])}
        </span>
      )}
    </>
  )
}
