import './models.css'

import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'

import { useMay } from '../../shared/access/use-may'
import { ArchivedList } from '../../shared/lifecycle/archived-list'
import { LifecycleMenu } from '../../shared/lifecycle/lifecycle-menu'
import { modelsList } from '../../shared/api/lists'
import type { Model } from '../../shared/api/types'
import { count, when } from '../../shared/format/numbers'
import { ListFrame } from '../../shared/lists/list-frame'
import { useList } from '../../shared/lists/pages'
import { SearchBox } from '../../shared/lists/search-box'
import { Table } from '../../shared/lists/table'
import { NoneLeft } from '../../shared/lifecycle/none-left'
import { useProjects } from '../../shared/project-choice/picked'
import { NewModelDialog } from '../../shared/training/new-model-dialog'
import { Chip } from '../../shared/ui/chip'
import { Empty, Skeleton } from '../../shared/ui/messages'
import { judgingOf } from '../../tasktypes/judging'
import { metricWords } from '../../tasktypes/metric-words'
import { figure } from './evaluation'
import { FigureText } from './figure-text'
import { modelVersionQuery } from './queries'

function columnsWith(figureInProduction: string, several: boolean) {
  return [
    'Name',
    ...(several ? ['Project'] : []),
    'Task',
    { name: 'Classes', number: true },
    { name: 'Newest', number: true },
    'Aliases',
    { name: figureInProduction, number: true },
    'Created',
    { name: 'Actions', silent: true },
  ] as const
}

export function ModelsPage() {
  const { q } = useSearch({ from: '/inside/models' })
  const { several: placed, picked } = useProjects()
  const mayBuild = useMay('build')
  const [making, setMaking] = useState(false)
  const navigate = useNavigate()
  const make = mayBuild && (
    <button type="button" className="button primary" onClick={() => setMaking(true)}>
      New model…
    </button>
  )
  const reading = useList(modelsList(picked, { q }))
  const shown = reading.rows ?? []
  const headlines = [...new Set(shown.map((model) => judgingOf(model.task, model).headline))]
  const several = headlines.length > 1
  const figureInProduction = several ? 'In production' : `Production ${metricWords(headlines[0] ?? 'accuracy').toLowerCase()}`
  return (
    <ListFrame
      title="Models"
      noun="models"
      reading={reading}
      filters={<SearchBox label="Search models by name, task or class" placeholder="Name, task, class" />}
      action={
        <>
          <Link to="/runs" className="button">
            All runs
          </Link>
          <Link to="/encoders" className="button">
            Encoders
          </Link>
          {make}
        </>
      }
      empty={make ? <Empty action={make}><NoneLeft kind="model" /> Create one and train it yourself, or let a pipeline train it after each round of labels.</Empty> : <Empty><NoneLeft kind="model" /></Empty>}
      table={
        <Table caption="All models" columns={columnsWith(figureInProduction, placed)}>
          {shown.map((model) => (
            <ModelRow key={model.id} model={model} named={several} placed={placed} />
          ))}
        </Table>
      }
    >
      <ArchivedList
        kind="model"
        link={(model) => (
          <Link to="/models/$model" params={{ model: model.name }}>
            {model.name}
          </Link>
        )}
      />
      {making && <NewModelDialog onClose={() => setMaking(false)} onMade={(model) => void navigate({ to: '/models/$model', params: { model } })} />}
    </ListFrame>
  )
}

interface ModelRowProps {
  model: Model
  /** What it is judged by is said: others here are judged by something else. */
  named: boolean
}

function ModelRow({ model, named, placed }: ModelRowProps & { placed: boolean }) {
  const { name, latest, aliases } = model
  return (
    <tr>
      <th scope="row">
        <Link to="/models/$model" params={{ model: name }} className="cut name" title={name}>
          {name}
        </Link>
        {model.description && <p className="quiet small">{model.description}</p>}
      </th>
      {placed && <td>{model.project}</td>}
      <td>{model.task}</td>
      <td className="number">{count(model.classes.length)}</td>
      <td className="number">
        {latest === null ? (
          '–'
        ) : (
          <Link to="/models/$model/$version" params={{ model: name, version: String(latest) }}>
            v{latest}
            <span className="visually-hidden"> of {name}</span>
          </Link>
        )}
      </td>
      <td>
        <span className="row wrap">
          {aliases.length === 0 && '–'}
          {aliases.map((alias) => (
            <Chip key={alias.name} tone={alias.name === 'production' ? 'ok' : 'plain'} bare>
              {alias.name} v{alias.version}
            </Chip>
          ))}
        </span>
      </td>
      <td className="number">{aliases.some((alias) => alias.name === 'production') ? <InProduction model={model} named={named} /> : '–'}</td>
      <td className="quiet">{when(model.created)}</td>
      <td>
        <LifecycleMenu kind="model" thing={model} />
      </td>
    </tr>
  )
}

function InProduction({ model, named }: ModelRowProps) {
  const version = useQuery(modelVersionQuery(model.name, 'production'))
  const { headline } = judgingOf(model.task, model)
  if (version.isPending) return <Skeleton height={20} />
  if (!version.data) return <>not readable now</>
  return (
    <>
      <FigureText figure={figure(version.data.metrics, headline)} />
      {named && <p className="quiet small">{metricWords(headline).toLowerCase()}</p>}
    </>
  )
}
