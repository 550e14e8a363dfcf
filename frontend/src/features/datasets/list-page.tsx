import './datasets.css'

import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'

import { datasetsQuery } from '../../shared/api/queries'
import type { Dataset } from '../../shared/api/types'
import { count, percent, when } from '../../shared/format/numbers'
import { Empty, Failure, Skeleton } from '../../shared/ui/messages'
import { Progress } from '../../shared/ui/progress'

export function DatasetsPage() {
  const datasets = useQuery(datasetsQuery)
  return (
    <div className="page">
      <h1>Datasets</h1>
      {datasets.isPending && <Skeleton height={160} />}
      {datasets.isError && !datasets.data && (
        <Failure what="The datasets could not be read" error={datasets.error} retry={() => void datasets.refetch()} />
      )}
      {datasets.data?.length === 0 && (
        <Empty
          action={
            <a className="button primary" href="/docs">
              To the API&rsquo;s pages
            </a>
          }
        >
          No dataset exists yet. Create one with POST /datasets and send images to it with POST /datasets/&#123;id&#125;.
        </Empty>
      )}
      {datasets.data && datasets.data.length > 0 && <DatasetTable datasets={datasets.data} />}
    </div>
  )
}

function DatasetTable({ datasets }: { datasets: Dataset[] }) {
  return (
    <div className="panel table-scroll">
      <table className="table">
        <caption className="visually-hidden">All datasets</caption>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Task</th>
            <th scope="col" className="number">
              Classes
            </th>
            <th scope="col" className="number">
              Samples
            </th>
            <th scope="col">Labelled</th>
            <th scope="col">Splits</th>
            <th scope="col" className="number">
              Version
            </th>
            <th scope="col">Created</th>
          </tr>
        </thead>
        <tbody>
          {datasets.map((dataset) => (
            <DatasetRow key={dataset.id} dataset={dataset} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function DatasetRow({ dataset }: { dataset: Dataset }) {
  const { samples, labelled, by_split: splits } = dataset.counts
  return (
    <tr>
      <th scope="row">
        <Link to="/datasets/$id" params={{ id: dataset.name }}>
          {dataset.name}
        </Link>
        {dataset.description && <p className="quiet small dataset-description">{dataset.description}</p>}
      </th>
      <td>{dataset.task}</td>
      <td className="number">{count(dataset.classes.length)}</td>
      <td className="number">{count(samples)}</td>
      <td style={{ minWidth: 160 }}>
        <div className="stack" style={{ gap: 4 }}>
          <Progress done={labelled} total={samples} label={`Labelled in ${dataset.name}`} />
          <span className="quiet small">
            {count(labelled)}
            {samples > 0 && ` · ${percent(labelled / samples)}`}
          </span>
        </div>
      </td>
      <td className="quiet">
        {Object.entries(splits)
          .map(([split, amount]) => `${split} ${count(amount)}`)
          .join(' · ')}
      </td>
      <td className="number">{dataset.head === null ? '–' : `v${dataset.head}`}</td>
      <td className="quiet">{when(dataset.created)}</td>
    </tr>
  )
}
