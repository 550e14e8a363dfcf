import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useId, useState, type KeyboardEvent } from 'react'

import { datasetsQuery, modelsQuery, pipelinesQuery, queuesQuery } from '../shared/api/queries'
import { Dialog } from '../shared/ui/dialog'
import { chooseTheme } from '../shared/ui/theme'

interface Destination {
  name: string
  kind: string
  go: () => void
}

/** Mod+K: every page, dataset, model, queue and pipeline by a few letters of its name. */
export default function Palette({ onClose }: { onClose: () => void }) {
  const destinations = useDestinations()
  const [wanted, setWanted] = useState('')
  const [place, setPlace] = useState(0)
  const listId = useId()
  const matches = destinations.filter(({ name, kind }) => `${kind} ${name}`.toLowerCase().includes(wanted.toLowerCase())).slice(0, 12)
  const at = Math.min(place, matches.length - 1)
  const take = (destination: Destination | undefined) => {
    if (!destination) return
    destination.go()
    onClose()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter') take(matches[at])
    else if (event.key === 'ArrowDown') setPlace(Math.min(at + 1, matches.length - 1))
    else if (event.key === 'ArrowUp') setPlace(Math.max(at - 1, 0))
    else return
    event.preventDefault()
  }
  return (
    <Dialog open onClose={onClose} title="Go to">
      <input
        className="field"
        style={{ width: '100%' }}
        role="combobox"
        aria-expanded
        aria-controls={listId}
        aria-activedescendant={matches[at] ? `${listId}-${at}` : undefined}
        aria-label="Page, dataset, model, queue or pipeline"
        placeholder="Page, dataset, model, queue, pipeline"
        value={wanted}
        onChange={(event) => {
          setWanted(event.target.value)
          setPlace(0)
        }}
        onKeyDown={onKeyDown}
      />
      <div id={listId} role="listbox" aria-label="Destinations" className="palette">
        {matches.map((destination, index) => (
          <div
            key={`${destination.kind} ${destination.name}`}
            id={`${listId}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === at}
            className="palette-option"
            onClick={() => take(destination)}
            onKeyDown={onKeyDown}
          >
            <span className="grow cut">{destination.name}</span>
            <span className="quiet small">{destination.kind}</span>
          </div>
        ))}
      </div>
      {matches.length === 0 && <p className="quiet">Nothing has “{wanted}” in its name.</p>}
    </Dialog>
  )
}

function useDestinations(): Destination[] {
  const navigate = useNavigate()
  const datasets = useQuery(datasetsQuery).data ?? []
  const models = useQuery(modelsQuery).data ?? []
  const queues = useQuery(queuesQuery).data ?? []
  const pipelines = useQuery(pipelinesQuery).data ?? []
  return [
    { name: 'Loop', kind: 'page', go: () => void navigate({ to: '/' }) },
    { name: 'Datasets', kind: 'page', go: () => void navigate({ to: '/datasets' }) },
    { name: 'Models', kind: 'page', go: () => void navigate({ to: '/models' }) },
    { name: 'Mining', kind: 'page', go: () => void navigate({ to: '/mining' }) },
    { name: 'Mine samples', kind: 'page', go: () => void navigate({ to: '/mining/new' }) },
    { name: 'Pipelines', kind: 'page', go: () => void navigate({ to: '/pipelines' }) },
    { name: 'New pipeline', kind: 'page', go: () => void navigate({ to: '/pipelines/new' }) },
    { name: 'Back-tests', kind: 'page', go: () => void navigate({ to: '/backtests' }) },
    { name: 'New back-test', kind: 'page', go: () => void navigate({ to: '/backtests/new' }) },
    { name: 'Label', kind: 'page', go: () => void navigate({ to: '/label' }) },
    ...queues.map(({ name, id }) => ({
      name,
      kind: 'queue',
      go: () => void navigate({ to: '/label/$queue', params: { queue: String(id) } }),
    })),
    ...datasets.map(({ name }) => ({
      name,
      kind: 'dataset',
      go: () => void navigate({ to: '/datasets/$id', params: { id: name } }),
    })),
    ...models.map(({ name }) => ({
      name,
      kind: 'model',
      go: () => void navigate({ to: '/models/$model', params: { model: name } }),
    })),
    ...pipelines.map(({ name, id }) => ({
      name,
      kind: 'pipeline',
      go: () => void navigate({ to: '/pipelines/$id', params: { id: String(id) } }),
    })),
    { name: 'Light theme', kind: 'setting', go: () => chooseTheme('light') },
    { name: 'Dark theme', kind: 'setting', go: () => chooseTheme('dark') },
    { name: "The system's theme", kind: 'setting', go: () => chooseTheme('system') },
  ]
}
