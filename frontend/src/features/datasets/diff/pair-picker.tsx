import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ArrowLeftRight, ArrowRight } from 'lucide-react'

import { versionsList } from '../../../shared/api/lists'
import type { Diff } from '../../../shared/api/types'
import { when } from '../../../shared/format/numbers'
import { Picker } from '../../../shared/picking/picker'
import type { DiffSearch } from '../../../shared/routes/diff-search'
import { versionQuery } from '../queries'
import { versionChoice, versionWords } from '../version-words'
import type { VersionPair } from './queries'

interface PairPickerProps {
  pair: VersionPair
  /** The dataset that this one is a fork of, if it is. */
  origin: string | null
  /** Once it is known: with the numbers that names stand for. */
  diff: Diff | undefined
  onChange: (search: DiffSearch) => void
}

/** Which two versions are compared, older on the left as a rule. */
export function PairPicker({ pair, origin, diff, onChange }: PairPickerProps) {
  const { dataset, fromDataset } = pair
  const elsewhere = fromDataset === dataset ? {} : { from_dataset: fromDataset }
  const from = diff ? String(diff.from) : pair.from
  const to = diff ? String(diff.to) : pair.to
  return (
    <section className="panel pair" aria-label="Compared versions">
      {origin !== null && (
        <select
          className="field"
          aria-label="From dataset"
          value={fromDataset}
          onChange={({ target }) => onChange({ to, ...(target.value === dataset ? {} : { from_dataset: target.value }) })}
        >
          <option>{dataset}</option>
          <option>{origin}</option>
        </select>
      )}
      <End name="From version" value={from} dataset={fromDataset} onPick={(picked) => onChange({ ...elsewhere, from: picked, to })} />
      <ArrowRight size={16} aria-hidden className="pair-arrow" />
      <End name="To version" value={to} dataset={dataset} onPick={(picked) => onChange({ ...elsewhere, from, to: picked })} />
      {fromDataset === dataset && (
        <button type="button" className="button" onClick={() => onChange({ from: to, to: from })}>
          <ArrowLeftRight size={14} aria-hidden />
          Swap
        </button>
      )}
    </section>
  )
}

interface EndProps {
  name: string
  value: string
  dataset: string
  onPick: (picked: string) => void
}

function End({ name, value, dataset, onPick }: EndProps) {
  const chosen = useQuery(versionQuery(dataset, value)).data
  return (
    <div className="pair-end">
      <Picker
        aria-label={name}
        source={(q) => versionsList(dataset, { q })}
        choices={versionChoice}
        value={value}
        shown={chosen ? versionWords(chosen) : /^\d+$/.test(value) ? `v${value}` : value}
        onChange={onPick}
      />
      {chosen && (
        <p className="quiet small">
          {chosen.author}, {when(chosen.created)} ·{' '}
          <Link to="/datasets/$id" params={{ id: dataset }} search={{ v: chosen.version }}>
            items<span className="visually-hidden"> of v{chosen.version}</span>
          </Link>
        </p>
      )}
    </div>
  )
}
