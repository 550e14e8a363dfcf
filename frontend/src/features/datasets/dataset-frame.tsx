import { useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Download, Tags } from 'lucide-react'
import { type ReactNode, useState } from 'react'

import { useMay } from '../../shared/access/use-may'
import { LifecycleMenu } from '../../shared/lifecycle/lifecycle-menu'
import type { Dataset } from '../../shared/api/types'
import { useProjects } from '../../shared/project-choice/picked'
import { later } from '../../shared/ui/later'
import { Failure, Skeleton } from '../../shared/ui/messages'
import { RefusableButton } from '../../shared/ui/refusable-button'
import { type DropElsewhere, DropFiles } from './exchange/drop-files'
import { datasetQuery } from '../../shared/api/queries'
import { TrainButton } from '../../shared/training/train-button'

const ExportDialog = later(async () => (await import('./exchange/export-dialog')).default)

interface DatasetFrameProps {
  id: string
  /** What the export starts from; without it, the newest. */
  version?: number
  /** The filter of what the page shows: what the export offers. */
  filter?: string
  /** The page fills the window and scrolls inside itself. */
  filled?: boolean
  /** Where files go that are dropped on the page, if not into the dataset. */
  drop?: DropElsewhere
  children: (dataset: Dataset) => ReactNode
}

/** What all pages of one dataset share: its name, the ways between them, files in and out. */
export function DatasetFrame({ id, version, filter = '', filled = false, drop, children }: DatasetFrameProps) {
  const dataset = useQuery(datasetQuery(id))
  if (dataset.isPending) {
    return (
      <div className="page" aria-busy>
        <Skeleton height={28} width={240} />
        <Skeleton height={480} />
      </div>
    )
  }
  if (!dataset.data) {
    return (
      <div className="page">
        <Failure
          what={`The dataset “${id}” could not be loaded`}
          error={dataset.error}
          retry={() => void dataset.refetch()}
          elsewhere={<Link to="/datasets" className="button">To the datasets</Link>}
        />
      </div>
    )
  }
  return (
    <DropFiles dataset={dataset.data} elsewhere={drop} className={`dataset-page ${filled ? 'filled' : ''}`}>
      {(addFiles) => (
        <>
          <Head id={id} dataset={dataset.data} version={version} filter={filter} addFiles={addFiles} />
          {children(dataset.data)}
        </>
      )}
    </DropFiles>
  )
}

interface HeadProps {
  id: string
  dataset: Dataset
  version: number | undefined
  filter: string
  addFiles: ReactNode
}

function Head({ id, dataset, version, filter, addFiles }: HeadProps) {
  const [exporting, setExporting] = useState(false)
  const navigate = useNavigate()
  const { several } = useProjects()
  const mayReview = useMay('review', dataset.project)
  const mayBuild = useMay('build', dataset.project)
  return (
    <header className="dataset-head">
      <h1 className="cut">{dataset.name}</h1>
      {several && <span className="quiet">{dataset.project}</span>}
      <nav className="tabs" aria-label={`Parts of ${dataset.name}`}>
        <Link to="/datasets/$id" params={{ id }} className="tab" activeOptions={{ exact: true, includeSearch: false }}>
          Items
        </Link>
        <Link to="/datasets/$id/statistics" params={{ id }} className="tab" activeOptions={{ includeSearch: false }}>
          Statistics
        </Link>
        <Link to="/datasets/$id/map" params={{ id }} className="tab" activeOptions={{ includeSearch: false }}>
          Map
        </Link>
        <Link to="/datasets/$id/lake" params={{ id }} className="tab" activeOptions={{ includeSearch: false }}>
          Lake
        </Link>
        <Link to="/datasets/$id/versions" params={{ id }} className="tab" activeOptions={{ includeSearch: false }}>
          Versions
        </Link>
        <Link to="/datasets/$id/diff" params={{ id }} className="tab" activeOptions={{ includeSearch: false }}>
          Compare
        </Link>
        <Link to="/datasets/$id/near-duplicates" params={{ id }} className="tab" activeOptions={{ includeSearch: false }}>
          Near-duplicates
        </Link>
        <Link to="/datasets/$id/classes" params={{ id }} className="tab" activeOptions={{ includeSearch: false }}>
          Classes
        </Link>
      </nav>
      <span className="grow" />
      {mayReview && dataset.counts.samples > dataset.counts.labelled && (
        <Link to="/label" search={{ dataset: dataset.name }} className="button">
          <Tags size={14} aria-hidden />
          Label
        </Link>
      )}
      {mayBuild && dataset.trainable && <TrainButton dataset={dataset} />}
      {addFiles}
      <RefusableButton className="button" refusal={dataset.head === null ? 'There is no version to export yet: add files first.' : null} onClick={() => setExporting(true)}>
        <Download size={14} aria-hidden />
        Export
      </RefusableButton>
      <LifecycleMenu
        kind="dataset"
        thing={dataset}
        onRenamed={(name) => void navigate({ to: '/datasets/$id', params: { id: name } })}
        onDeleted={() => navigate({ to: '/datasets' })}
      />
      {exporting && <ExportDialog dataset={dataset} version={version ?? dataset.head ?? 1} filter={filter} onClose={() => setExporting(false)} />}
    </header>
  )
}
