import './models.css'

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'

import { modelsQuery } from '../../shared/api/queries'
import type { Model } from '../../shared/api/types'
import { count, when } from '../../shared/format/numbers'
import { Chip } from '../../shared/ui/chip'
import { Empty, Failure, Skeleton } from '../../shared/ui/messages'
import { accuracy } from './evaluation'
import { FigureText } from './figure-text'
import { modelVersionQuery } from './queries'

export function ModelsPage() {
  const models = useQuery(modelsQuery)
  return (
    <div className="page">
      <h1>Models</h1>
      {models.isPending && <Skeleton height={160} />}
      {models.isError && !models.data && <Failure what="The models could not be read" error={models.error} retry={() => void models.refetch()} />}
      {models.data?.length === 0 && (
        <Empty
          action={
            <a className="button primary" href="/docs">
              To the API&rsquo;s pages
            </a>
          }
        >
          No model exists yet. Create one with POST /models and train it with POST /runs, or run make demo to see the loop close on real images.
        </Empty>
      )}
      {models.data && models.data.length > 0 && <ModelTable models={models.data} />}
    </div>
  )
}

function ModelTable({ models }: { models: Model[] }) {
  return (
    <div className="panel table-scroll">
      <table className="table">
        <caption className="visually-hidden">All models</caption>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Task</th>
            <th scope="col" className="number">
              Classes
            </th>
            <th scope="col" className="number">
              Newest
            </th>
            <th scope="col">Aliases</th>
            <th scope="col" className="number">
              Accuracy of production
            </th>
            <th scope="col">Created</th>
          </tr>
        </thead>
        <tbody>
          {models.map((model) => (
            <ModelRow key={model.id} model={model} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function ModelRow({ model }: { model: Model }) {
  const { name, latest, aliases } = model
  return (
    <tr>
      <th scope="row">
        <Link to="/models/$model" params={{ model: name }}>
          {name}
        </Link>
        {model.description && <p className="quiet small">{model.description}</p>}
      </th>
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
      <td className="number">{aliases.some((alias) => alias.name === 'production') ? <ProductionAccuracy model={name} /> : '–'}</td>
      <td className="quiet">{when(model.created)}</td>
    </tr>
  )
}

function ProductionAccuracy({ model }: { model: string }) {
  const version = useQuery(modelVersionQuery(model, 'production'))
  if (version.isPending) return <Skeleton height={20} />
  return version.data ? <FigureText figure={accuracy(version.data.metrics)} /> : <>not readable now</>
}
