import type { ModelWarning } from '../api/types'

/** What stands in the way of a good model, each in a sentence; nothing where there is nothing. */
export function Warnings({ warnings }: { warnings: ModelWarning[] | undefined }) {
  if (!warnings || warnings.length === 0) return null
  return (
    <div className="message warn" role="note" aria-label="Warnings">
      {warnings.map(({ code, detail }) => (
        <p key={code}>{detail}</p>
      ))}
    </div>
  )
}
