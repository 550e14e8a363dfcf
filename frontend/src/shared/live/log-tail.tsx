import { useLive } from './use-live'

const lines = 50

/** The last lines that a job said, while it says more. */
export function LogTail({ id, title }: { id: number; title: string }) {
  const live = useLive(id)
  if (!live.data) return <p className="quiet small">Reading the log…</p>
  if (live.data.log.length === 0) return <p className="quiet small">{live.data.finished === null ? 'No log lines yet.' : 'It wrote no log.'}</p>
  return (
    // A scrolled region must be reachable by keyboard to be scrolled by it.
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex
    <ol className="log mono" aria-label={`Last lines of ${title}`} tabIndex={0}>
      {live.data.log.slice(-lines).map((line) => (
        <li key={line.seq} className={line.level}>
          <time dateTime={line.time}>{line.time.slice(11, 19)}</time> {line.message}
        </li>
      ))}
    </ol>
  )
}
