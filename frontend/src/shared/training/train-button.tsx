import { useState } from 'react'

import type { Dataset } from '../api/types'
import { later } from '../ui/later'

const TrainOnDialog = later(async () => (await import('./train-on-dialog')).default)

/** Trains a model on a dataset: one that learns its classes, or a new one. */
export function TrainButton({ dataset, primary = false, children = 'Train…' }: { dataset: Pick<Dataset, 'name'>; primary?: boolean; children?: string }) {
  const [open, setOpen] = useState(false)
  return (
    <>
      <button type="button" className={`button ${primary ? 'primary' : ''}`} onClick={() => setOpen(true)}>
        {children}
      </button>
      {open && <TrainOnDialog dataset={dataset.name} onClose={() => setOpen(false)} />}
    </>
  )
}
