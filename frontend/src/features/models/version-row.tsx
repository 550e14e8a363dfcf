import { Link } from '@tanstack/react-router'

import type { ModelVersion } from '../../shared/api/types'
import { bytes, when } from '../../shared/format/numbers'
import { Chip } from '../../shared/ui/chip'
import { figure } from './evaluation'
import { FigureText } from './figure-text'
import { tensorrt } from './report'

interface VersionRowProps {
  version: ModelVersion
  /** The figure that tells how good it is. */
  headline: string
  /** Chosen to be compared. */
  ticked: boolean
  onTick: () => void
  /** Null for those who may not. */
  onPromote: (() => void) | null
}

export function VersionRow({ version: row, headline, ticked, onTick, onPromote }: VersionRowProps) {
  const proof = tensorrt({ tensorrt: row.tensorrt })
  return (
    <tr>
      <td>
        <input type="checkbox" aria-label={`Compare v${row.version}`} checked={ticked} onChange={onTick} />
      </td>
      <th scope="row">
        <Link to="/models/$model/$version" params={{ model: row.model, version: String(row.version) }}>
          v{row.version}
        </Link>
      </th>
      <td>{row.architecture}</td>
      <td>
        {row.dataset_role === 'trained' && row.dataset !== null && row.dataset_version !== null ? (
          <Link to="/datasets/$id" params={{ id: row.dataset }} search={{ v: row.dataset_version }}>
            {row.dataset} v{row.dataset_version}
          </Link>
        ) : row.architecture === 'ensemble' ? (
          'through members'
        ) : (
          'not known'
        )}
      </td>
      <td className="number">
        <FigureText figure={figure(row.metrics, headline)} />
      </td>
      <td className="number">{row.size === null ? '–' : bytes(row.size)}</td>
      <td>
        <Chip tone={proof.tone}>{proof.words}</Chip>
      </td>
      <td>
        <Aliases names={row.aliases} />
      </td>
      <td className="quiet">{when(row.created)}</td>
      <td className="number">
        {onPromote && (
          <button type="button" className="button little" onClick={onPromote}>
            Promote…<span className="visually-hidden"> v{row.version}</span>
          </button>
        )}
      </td>
    </tr>
  )
}

export function Aliases({ names }: { names: string[] }) {
  return (
    <span className="row wrap">
      {names.map((name) => (
        <Chip key={name} tone={name === 'production' ? 'ok' : 'plain'} bare>
          {name}
        </Chip>
      ))}
    </span>
  )
}
