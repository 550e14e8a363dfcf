import '../datasets.css'
import './lake.css'

import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'

import { useMay } from '../../../shared/access/use-may'
import type { Dataset, Lake } from '../../../shared/api/types'
import { bytes, count, plural } from '../../../shared/format/numbers'
import { Empty, Failure, Skeleton } from '../../../shared/ui/messages'
import { later } from '../../../shared/ui/later'
import { DatasetFrame } from '../dataset-frame'
import type { FoundFile } from '../exchange/chosen-files'
import { FramesPanel } from './frames-panel'
import { PartsPanel } from './parts-panel'
import { lakeQuery } from './queries'
import { ScanDialog } from './scan-dialog'
import { ScansPanel } from './scans-panel'

const AddFramesDialog = later(async () => (await import('./add-frames-dialog')).default)

/** Frames without a row each: what there is, and scans that bring some of them in. */
export function LakePage() {
  const { id } = useParams({ from: '/inside/datasets/$id/lake' })
  const [adding, setAdding] = useState<FoundFile[] | null>(null)
  return (
    <DatasetFrame id={id} drop={{ words: 'Drop to add to the lake', onDropped: setAdding }}>
      {(dataset) => (
        <>
          <Shown dataset={dataset} onAdd={() => setAdding([])} />
          {adding && <AddFramesDialog dataset={dataset} dropped={adding} onClose={() => setAdding(null)} />}
        </>
      )}
    </DatasetFrame>
  )
}

interface ShownProps {
  dataset: Dataset
  /** Opens the dialog that adds frames. */
  onAdd: () => void
}

function Shown({ dataset, onAdd }: ShownProps) {
  const builds = useMay('build', dataset.project)
  const lake = useQuery(lakeQuery(dataset.name))
  if (lake.isPending) return <Skeleton height={320} />
  if (!lake.data) return <Failure what="The lake could not be loaded" error={lake.error} retry={() => void lake.refetch()} />
  if (lake.data.parts === 0) {
    return (
      <div className="page">
        <Empty action={builds && <AddFrames onAdd={onAdd} />}>
          This lake is empty. Store up to hundreds of millions of unlabelled images here. A scan picks the most useful ones for the dataset.
          {builds && (
            <>
              {' '}
              Drop a folder of them here, or send one of any size by the command line: <code className="mono">lode lake push {dataset.name} FOLDER</code>
            </>
          )}
        </Empty>
      </div>
    )
  }
  return <Filled dataset={dataset} lake={lake.data} onAdd={onAdd} />
}

function AddFrames({ onAdd }: { onAdd: () => void }) {
  return (
    <button type="button" className="button" onClick={onAdd}>
      Add frames
    </button>
  )
}

function Filled({ dataset, lake, onAdd }: ShownProps & { lake: Lake }) {
  const builds = useMay('build', dataset.project)
  const [scanning, setScanning] = useState(false)
  return (
    <div className="page stack wide-gap">
      <div className="row wrap">
        <p className="grow lake-counts">
          {plural(lake.frames, 'frame')} ({bytes(lake.bytes)}) in {plural(lake.parts, 'part')}. {count(lake.brought_in)} of them are among the {plural(lake.samples, 'sample')} of the
          dataset.
        </p>
        {builds && (
          <>
            <AddFrames onAdd={onAdd} />
            <button type="button" className="button primary" onClick={() => setScanning(true)}>
              Scan the lake
            </button>
          </>
        )}
      </div>
      <ScansPanel dataset={dataset} />
      <FramesPanel dataset={dataset} lake={lake} />
      <PartsPanel dataset={dataset} />
      {scanning && <ScanDialog dataset={dataset} lake={lake} onClose={() => setScanning(false)} />}
    </div>
  )
}
