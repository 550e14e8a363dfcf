import { useEffect, useRef } from 'react'

import { Added } from '../exchange/added'
import { SendingView } from '../exchange/sending-view'
import { useUpload } from '../exchange/use-upload'

export interface ArchiveOrder {
  dataset: string
  archive: File
  convert: boolean
  /** The encoding of its names, if it is not UTF-8. */
  encoding: string | null
}

/** Sends the archive that a new dataset was made for. */
export function ArchivePanel({ dataset, archive, convert, encoding }: ArchiveOrder) {
  const sending = useUpload(dataset)
  const { sendArchive } = sending
  const begun = useRef(false)
  useEffect(() => {
    if (begun.current) return
    begun.current = true
    void sendArchive(archive, { split: null, message: archive.name, strict: false, convert, encoding })
  }, [sendArchive, archive, convert, encoding])
  return (
    <section className="panel" aria-labelledby="sending">
      <div className="panel-head">
        <h2 id="sending">{dataset}</h2>
      </div>
      <div className="panel-body">
        <SendingView sending={sending} into="dataset">
          {(commit) => <Added commit={commit} dataset={dataset} />}
        </SendingView>
      </div>
    </section>
  )
}
