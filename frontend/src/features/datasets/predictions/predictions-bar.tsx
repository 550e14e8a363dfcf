import './predictions.css'

import { useState } from 'react'

import { modelsList } from '../../../shared/api/lists'
import type { Dataset } from '../../../shared/api/types'
import { KeyCap } from '../../../shared/keys/key-cap'
import { useList } from '../../../shared/lists/pages'
import { Picker } from '../../../shared/picking/picker'
import { type GridOrder, type GridSearch, gridOrders, without, withModel } from '../../../shared/routes/grid-search'
import { later } from '../../../shared/ui/later'
import { taskTypeOf } from '../../../tasktypes'
import { mapsList } from '../map/queries'
import { predictorsOf } from './queries'

interface PredictionsBarProps {
  dataset: Dataset
  search: GridSearch
  onChange: (search: GridSearch) => void
}

const Unscored = later(async () => (await import('./unscored')).Unscored)

/** Where the keys of the page lead. */
export const modelField = 'grid-model'
export const orderField = 'grid-order'

const orderWords: Record<GridOrder, string> = {
  '-added': 'newest first',
  key: 'key, A to Z',
  '-key': 'key, Z to A',
  random: 'random',
  '-uniqueness': 'least like others first',
  uniqueness: 'most like others first',
  confidence: 'least confident first',
  '-confidence': 'most confident first',
  '-loss': 'most wrong first',
  loss: 'least wrong first',
}

/** Whose predictions are shown, how sure they are, and what the grid is ordered by. */
export function PredictionsBar({ dataset, search, onChange }: PredictionsBarProps) {
  const models = (q: string) => modelsList(null, { q, dataset: dataset.name })
  const { rows, more } = useList(models(''))
  const { model } = search
  if (model === undefined && more === null && !rows?.some((each) => predictorsOf(each).length > 0)) return <OrderField dataset={dataset} search={search} onChange={onChange} />
  return (
    <>
      <label className="row" htmlFor={modelField}>
        <span className="quiet">
          Predictions of <KeyCap scope="items" action="predictions" />
        </span>
        <Picker
          joined={{ id: modelField }}
          first={[{ value: '', words: 'none' }]}
          source={models}
          choices={predictorsOf}
          value={model ?? ''}
          onChange={(name) => onChange(withModel(search, name || null))}
        />
      </label>
      {model !== undefined && (
        <>
          <span className="row" role="group" aria-label="Confidence">
            <span className="quiet">Confidence</span>
            <ShareField key={`above ${search.above ?? ''}`} label="Confidence from" value={search.above} onChange={(above) => onChange(above === null ? without(search, 'above') : { ...search, above })} />
            <span className="quiet">to</span>
            <ShareField key={`below ${search.below ?? ''}`} label="Confidence to" value={search.below} onChange={(below) => onChange(below === null ? without(search, 'below') : { ...search, below })} />
          </span>
          {taskTypeOf(dataset.task).answer !== 'class' && <BarSlider key={search.bar ?? ''} search={search} onChange={onChange} />}
        </>
      )}
      <OrderField dataset={dataset} search={search} onChange={onChange} />
      {model !== undefined && <Unscored dataset={dataset} version={search.v ?? 'head'} model={model} />}
    </>
  )
}

interface ShareFieldProps {
  label: string
  value: number | undefined
  onChange: (value: number | null) => void
}

/** Acts when it is left, or on Enter: each digit would be a count over the whole dataset. */
function ShareField({ label, value, onChange }: ShareFieldProps) {
  const [text, setText] = useState(value === undefined ? '' : String(value))
  const number = Number(text)
  const wrong = text.trim() !== '' && !(number >= 0 && number <= 1)
  const settle = () => {
    if (!wrong && text !== (value === undefined ? '' : String(value))) onChange(text.trim() === '' ? null : number)
  }
  return (
    <input
      className="field share-field"
      inputMode="decimal"
      aria-label={label}
      aria-invalid={wrong}
      placeholder={label === 'Confidence from' ? '0' : '1'}
      title={wrong ? 'A number from 0 to 1' : label}
      value={text}
      onChange={({ target }) => setText(target.value)}
      onBlur={settle}
      onKeyDown={({ key }) => {
        if (key === 'Enter') settle()
      }}
    />
  )
}

/** From which score on boxes and classes are shown. */
function BarSlider({ search, onChange }: Omit<PredictionsBarProps, 'dataset'>) {
  const [bar, setBar] = useState(search.bar ?? null)
  return (
    <label className="row">
      <span className="quiet">Shown from {bar === null ? 'its own thresholds' : bar.toFixed(2)}</span>
      <input
        type="range"
        min={0.05}
        max={0.95}
        step={0.05}
        value={bar ?? 0.5}
        aria-label="Shown from this score on"
        onChange={({ target }) => setBar(Number(target.value))}
        onPointerUp={() => bar !== null && onChange({ ...search, bar })}
        onKeyUp={() => bar !== null && bar !== search.bar && onChange({ ...search, bar })}
        style={{ width: 96, accentColor: 'var(--accent)' }}
      />
    </label>
  )
}

function OrderField({ dataset, search, onChange }: PredictionsBarProps) {
  const { order, model } = search
  const maps = useList(mapsList(String(dataset.id))).rows ?? []
  if (search.similar !== undefined || search.words !== undefined) return null
  const measured = maps.some(({ facts }) => facts !== null && facts.compared !== null)
  const loss = taskTypeOf(dataset.task).answer === 'class'
  const offered = gridOrders.filter((one) => (one.endsWith('loss') ? model !== undefined && loss : !one.endsWith('confidence') || model !== undefined))
  const pick = (name: string) => {
    const next = gridOrders.find((one) => one === name)
    const rest = without(without(search, 'order'), 'seed')
    onChange(next === undefined ? rest : { ...rest, order: next })
  }
  return (
    <label className="row">
      <span className="quiet">
        Order <KeyCap scope="items" action="order" />
      </span>
      <select id={orderField} className="field" value={order ?? ''} onChange={({ target }) => pick(target.value)}>
        <option value="">oldest first</option>
        {offered.map((one) => (
          <option key={one} value={one} disabled={one.endsWith('uniqueness') && !measured}>
            {orderWords[one]}
            {one.endsWith('uniqueness') && !measured && ' (make a map to measure it)'}
          </option>
        ))}
      </select>
      {order === 'random' && (
        <button type="button" className="button little" onClick={() => onChange({ ...search, seed: (search.seed ?? 0) + 1 })}>
          Shuffle again
        </button>
      )}
    </label>
  )
}
