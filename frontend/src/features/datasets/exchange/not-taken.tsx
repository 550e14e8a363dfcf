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
      <p>{plural(rejected.length, 'file was', 'files were')} not taken:</p>
      {/* A scrolled region must be reachable by keyboard to be scrolled by it. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <ul className="file-list" aria-label="Not taken" tabIndex={0}>
        {rejected.slice(0, mostShown).map(({ key, detail }) => (
          <li key={key}>
            <span className="mono">{key}</span>: {detail}
          </li>
        ))}
        {rejected.length > mostShown && <li className="quiet">and {count(rejected.length - mostShown)} more</li>}
      </ul>
    </>
  )
}
