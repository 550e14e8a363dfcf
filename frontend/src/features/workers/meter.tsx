interface MeterProps {
  name: string
  /** 0 to 1; null where it is not known. */
  share: number | null
  /** The value in words. */
  words: string
  /** What from nine tenths on is said besides. */
  high?: string
}

/** How full or busy something is; from nine tenths on it says so in another colour and in words. */
export function Meter({ name, share, words, high: said = 'nearly full' }: MeterProps) {
  const high = share !== null && share >= 0.9
  return (
    <div className="meter">
      <div className="row small">
        <span className="grow">{name}</span>
        <span className="quiet">
          {words}
          {high && ` · ${said}`}
        </span>
      </div>
      <div
        className={`bar ${high ? 'high' : ''}`}
        role="meter"
        aria-label={name}
        aria-valuemin={0}
        aria-valuemax={100}
        aria-valuenow={share === null ? 0 : Math.round(share * 100)}
        aria-valuetext={words}
      >
        <span style={{ width: `${Math.min(1, share ?? 0) * 100}%` }} />
      </div>
    </div>
  )
}
