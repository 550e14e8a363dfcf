import { plural } from '../../../shared/format/numbers'
import type { LeftFile } from './chosen-files'

const shown = 20

/** The files that are not sent, each with the reason. */
export function LeftBehind({ files }: { files: readonly LeftFile[] }) {
  if (files.length === 0) return null
  return (
    <details>
      <summary>{plural(files.length, 'other file stays', 'other files stay')} behind</summary>
      <ul className="file-list" aria-label="Not sent">
        {files.slice(0, shown).map(({ name, reason }) => (
          <li key={name}>
            <span className="mono">{name}</span>: {reason}
          </li>
        ))}
        {files.length > shown && <li className="quiet">and {plural(files.length - shown, 'more', 'more')}</li>}
      </ul>
    </details>
  )
}
