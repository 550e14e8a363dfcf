import { percent } from '../../shared/format/numbers'
import type { Figure } from './evaluation'

/** `93.4 %` with its 95 % interval beside it, `90.9–95.3`. */
export function FigureText({ figure }: { figure: Figure | undefined }) {
  if (!figure || figure.value === null) return <>–</>
  const { value, interval } = figure
  return (
    <>
      {percent(value)}
      {interval && (
        <span className="quiet small figure-interval">
          {points(interval[0])}–{points(interval[1])}
        </span>
      )}
    </>
  )
}

function points(share: number): string {
  return (share * 100).toFixed(1)
}
