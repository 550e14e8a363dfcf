import '../datasets.css'
import './lake.css'

import { useQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'

import { useMay } from '../../../shared/access/use-may'
import type { Dataset, Lake } from '../../../shared/api/types'
import { bytes, count, plural } from '../../../shared/format/numbers'
import { Empty, Failure, Skeleton } from '../../../shared/ui/messages'
import { DatasetFrame } from '../dataset-frame'
import { FramesPanel } from './frames-panel'
import { PartsPanel } from './parts-panel'
import { lakeQuery } from './queries'
import { ScanDialog } from './scan-dialog'
import { ScansPanel } from './scans-panel'

/** Frames without a row each: what there is, and scans that bring some of them in. */
export function LakePage() {
  const { id } = useParams({ from: '/inside/datasets/$id/lake' })
  return <DatasetFrame id={id}>{(dataset) => <Shown dataset={dataset} />}</DatasetFrame>
}

function Shown({ dataset }: { dataset: Dataset }) {
  const lake = useQuery(lakeQuery(dataset.name))
  if (lake.isPending) return <Skeleton height={320} />
  if (!lake.data) return <Failure what="The lake could not be loaded" error={lake.error} retry={() => void lake.refetch()} />
  if (lake.data.parts === 0) {
    return (
      <div className="page">
        <Empty action={<code className="mono">lode lake push {dataset.name} FOLDER</code>}>
          This lake is empty. Images that nobody labels yet, up to hundreds of millions, go into it without a row each; a scan then brings in the ones that teach most.
          They come in by the command line, not on this page:
        </Empty>
      </div>
    )
  }
  return <Filled dataset={dataset} lake={lake.data} />
}

function Filled({ dataset, lake }: { dataset: Dataset; lake: Lake }) {
  const builds = useMay('build', dataset.project)
  const [scanning, setScanning] = useState(false)
  return (
    <div className="page stack wide-gap">
      <div className="row">
        <p className="grow">
          {plural(lake.frames, 'frame')} ({bytes(lake.bytes)}) in {plural(lake.parts, 'part')}. {count(lake.brought_in)} of them are among the {plural(lake.samples, 'sample')} of the
          dataset.
        </p>
        {builds && (
          <button type="button" className="button primary" onClick={() => setScanning(true)}>
            Scan the lake
          </button>
        )}
      </div>
      <ScansPanel dataset={dataset} />
      <FramesPanel dataset={dataset} lake={lake} />
      <PartsPanel dataset={dataset} />
      {scanning && <ScanDialog dataset={dataset} lake={lake} onClose={() => setScanning(false)} />}
    </div>
  )
}
