interface ProgressProps {
  done: number
  total: number | null
  /** What the bar measures, for people who hear it. */
  label: string
}

export function Progress({ done, total, label }: ProgressProps) {
  const share = total !== null && total > 0 ? Math.min(1, done / total) : 0
  return (
    <div
      className="bar"
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={total ?? undefined}
      aria-valuenow={total === null ? undefined : done}
    >
      <span style={{ width: `${share * 100}%` }} />
    </div>
  )
}
