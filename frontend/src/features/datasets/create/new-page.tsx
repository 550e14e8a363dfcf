import '../datasets.css'
import '../exchange/exchange.css'
import './create.css'

import { Upload } from 'lucide-react'
import { type DragEvent, useEffect, useState } from 'react'

import { toast } from '../../../shared/ui/toast-store'
import { ChooseFiles } from '../exchange/choose-files'
import { dropped, type FoundFile, picked } from '../exchange/chosen-files'
import { encodings } from '../exchange/names-encoding'
import { type ArchiveOrder, ArchivePanel } from './archive-panel'
import { type ChosenUpload, chosenOf } from './chosen'
import { DatasetForm } from './dataset-form'
import { TransferPanel } from './transfer-panel'
import { useTransfer } from './use-transfer'

type Found = FoundFile[]

/** A dataset out of a folder: dropped, looked at, named, sent. */
export function NewDatasetPage() {
  const [chosen, setChosen] = useState<ChosenUpload | null>(null)
  // The form begins anew when other files take the place of those it was filled in for, and only then.
  const [replaced, setReplaced] = useState(0)
  const [over, setOver] = useState(false)
  const [archived, setArchived] = useState<ArchiveOrder | null>(null)
  const sending = useTransfer()
  const begun = sending.transfer !== null
  useStayWarning(begun && ['sending', 'waiting', 'committing'].includes(sending.transfer?.state ?? ''))
  const choose = (next: ChosenUpload | null) => {
    if (chosen !== null) setReplaced(replaced + 1)
    setChosen(next)
    if (next?.archive) void lookInto(next.archive, null)
  }
  const encode = (encoding: string | null) => {
    if (!chosen?.archive) return
    setChosen(chosenOf(chosen.found, { convert: chosen.plan.convert, encoding }))
    void lookInto(chosen.archive, encoding)
  }
  const lookInto = async (archive: File, encoding: string | null) => {
    // Meanwhile other files may have been chosen, or their conversion.
    const show = (inside: ChosenUpload['inside']) => setChosen((now) => (now?.archive === archive && now.encoding === encoding ? chosenOf(now.found, { convert: now.plan.convert, inside, encoding }) : now))
    const reader = await import('./archive-files')
    try {
      const browsers = encoding === null ? null : encodings[encoding]?.browser
      if (browsers === null && encoding !== null) throw new Error(`this page can’t read names in ${encoding}; the platform can`)
      show(await reader.filesIn(archive, browsers ?? null))
    } catch (error) {
      if (error instanceof reader.NamesNotUtf8) {
        show('names are not UTF-8')
        return
      }
      show('can’t be listed')
      const reason = (error instanceof Error ? error.message : String(error)).replace(/\.$/, '')
      toast('bad', `The files of ${archive.name} can’t be listed: ${reason}. Send it if other programs can open it; else choose another, or the folder itself.`)
    }
  }
  const onDragOver = (event: DragEvent) => {
    if (begun || !event.dataTransfer.types.includes('Files')) return
    event.preventDefault()
    setOver(true)
  }
  const onDrop = (event: DragEvent) => {
    event.preventDefault()
    setOver(false)
    dropped(event.dataTransfer).then(
      (found) => choose(chosenOf(found)),
      () => toast('bad', 'The browser could not read what was dropped. Use “Choose a folder” instead.'),
    )
  }
  return (
    // Dropping is the pointer's way; the buttons in the page do the same by keyboard.
    // eslint-disable-next-line jsx-a11y/no-static-element-interactions
    <div
      className="page form-page create-dataset"
      onDragOver={onDragOver}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setOver(false)
      }}
      onDrop={onDrop}
    >
      <h1>Create a dataset</h1>
      {begun ? (
        <TransferPanel {...sending} />
      ) : archived ? (
        <ArchivePanel {...archived} />
      ) : (
        <>
          {chosen === null && <DropPlace onFound={(found) => choose(chosenOf(found))} />}
          <DatasetForm key={replaced} chosen={chosen} onClear={() => choose(null)} onConvert={(on) => chosen && setChosen(chosenOf(chosen.found, { ...chosen, convert: on }))} onEncoding={encode} onCreated={sending.begin} onArchive={setArchived} />
        </>
      )}
      {over && (
        <div className="drop-veil" aria-hidden>
          Drop to create a dataset
        </div>
      )}
    </div>
  )
}

function DropPlace({ onFound }: { onFound: (found: Found) => void }) {
  return (
    <div className="drop-place choose-files">
      <Upload size={24} aria-hidden />
      <p>
        <strong>Drop a folder of images or an archive here</strong>
      </p>
      <p className="quiet">
        Folders in it become classes (<code>cat/1.png</code>) and splits (<code>train/cat/1.png</code>); annotations of COCO, YOLO, VOC, KITTI, CVAT, LabelMe, Label Studio, tables (CSV) and others are read.
      </p>
      <ChooseFiles onChosen={(files) => void picked(files).then(onFound)} />
    </div>
  )
}

/** Closing the tab would stop what it sends: the browser asks first. */
function useStayWarning(active: boolean): void {
  useEffect(() => {
    if (!active) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [active])
}
