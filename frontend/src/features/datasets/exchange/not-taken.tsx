import { count, plural } from '../../../shared/format/numbers'

const mostShown = 100

interface NotTakenProps {
  rejected: readonly { key: string; detail: string }[]
}

/** What could not be taken, each with the reason. */
export function NotTaken({ rejected }: NotTakenProps) {
  if (rejected.length === 0) return null
  return (
    <>
      <p>{plural(rejected.length, 'item was', 'items were')} not taken:</p>
      {/* A scrolled region must be reachable by keyboard to be scrolled by it. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <ul className="file-list" aria-label="Not taken" tabIndex={0}>
        {rejected.slice(0, mostShown).map(({ key, detail }, place) => (
          // One annotation file may be named many times, once for each thing in it.
          <li key={place}>
            <span className="mono">{key}</span>
            {tail(key, detail)}
          </li>
        ))}
        {rejected.length > mostShown && <li className="quiet">and {count(rejected.length - mostShown)} more</li>}
      </ul>
    </>
  )
}

/** A reason that begins with the file's name, as that of an annotation file does, goes on from it. */
function tail(key: string, detail: string): string {
  return detail.startsWith(key) ? detail.slice(key.length) : `: ${detail}`
}
