import './datasets.css'

import { Link, useSearch } from '@tanstack/react-router'

import { useMay } from '../../shared/access/use-may'
import { ArchivedList } from '../../shared/lifecycle/archived-list'
import { LifecycleMenu } from '../../shared/lifecycle/lifecycle-menu'
import { datasetsList } from '../../shared/api/lists'
import type { Dataset } from '../../shared/api/types'
import { count, percent, when } from '../../shared/format/numbers'
import { ListFrame } from '../../shared/lists/list-frame'
import { useList } from '../../shared/lists/pages'
import { SearchBox } from '../../shared/lists/search-box'
import { Table } from '../../shared/lists/table'
import { NoneLeft } from '../../shared/lifecycle/none-left'
import { useProjects } from '../../shared/project-choice/picked'
import { Empty } from '../../shared/ui/messages'
import { Progress } from '../../shared/ui/progress'

const facts = [
  'Task',
  { name: 'Classes', number: true },
  { name: 'Samples', number: true },
  'Labelled',
  'Splits',
  { name: 'Version', number: true },
  'Created',
  { name: 'Actions', silent: true },
] as const

export function DatasetsPage() {
  const { several, picked } = useProjects()
  const mayBuild = useMay('build')
  const { q } = useSearch({ from: '/inside/datasets' })
  const reading = useList(datasetsList(picked, { q }))
  return (
    <ListFrame
      title="Datasets"
      noun="datasets"
      reading={reading}
      filters={<SearchBox label="Search datasets by name, task or class" placeholder="Name, task, class" />}
      action={mayBuild && <CreateDataset />}
      empty={mayBuild ? <Empty action={<CreateDataset />}><NoneLeft kind="dataset" /> Drop a folder of images to create the first one.</Empty> : <Empty><NoneLeft kind="dataset" /></Empty>}
      table={
        <Table caption="All datasets" columns={several ? ['Name', 'Project', ...facts] : ['Name', ...facts]}>
          {reading.rows?.map((dataset) => (
            <DatasetRow key={dataset.id} dataset={dataset} placed={several} />
          ))}
        </Table>
      }
    >
      <ArchivedList
        kind="dataset"
        link={({ name }) => (
          <Link to="/datasets/$id" params={{ id: name }}>
            {name}
          </Link>
        )}
      />
    </ListFrame>
  )
}

function CreateDataset() {
  return (
    <Link to="/datasets/new" className="button primary">
      Create a dataset
    </Link>
  )
}

/** `placed`: its project is said, for there are several. */
function DatasetRow({ dataset, placed }: { dataset: Dataset; placed: boolean }) {
  const { samples, labelled, by_split: splits } = dataset.counts
  return (
    <tr>
      <th scope="row">
        <Link to="/datasets/$id" params={{ id: dataset.name }} className="cut name" title={dataset.name}>
          {dataset.name}
        </Link>
        {dataset.description && <p className="quiet small dataset-description">{dataset.description}</p>}
      </th>
      {placed && <td>{dataset.project}</td>}
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
      <td>
        <LifecycleMenu kind="dataset" thing={dataset} />
      </td>
    </tr>
  )
}
