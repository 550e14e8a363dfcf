import { api, take } from '../../../shared/api/client'
import { fingerprintOf, type PartsProgress, sendInParts } from '../exchange/send-in-parts'
import { tarOf } from '../exchange/tar'
import { useSending } from '../exchange/use-sending'
import { fingerprintOfAll, type FrameFile, hasDigests } from './chosen-frames'
import { newId } from '../../../shared/api/new-id'

/** What became of files for the lake: the job's result. */
export interface Filled {
  frames: number
  bytes: number
  /** Of an archive. */
  refused?: number
  first_refused?: { key: string; detail: string }[]
}

interface Content {
  source: 'archive' | 'manifest'
  name: string
  data: Blob
  fingerprint: string
  encoding?: string | null
}

/** Sends images, an archive or a manifest part by part and puts them into the lake. */
export function useFilling(dataset: string) {
  const sending = useSending<Filled>()
  const put = async ({ source, name, data, fingerprint, encoding = null }: Content, signal: AbortSignal, onProgress: (progress: PartsProgress) => void) => {
    const upload = await sendInParts({ dataset, data, name, fingerprint, signal, onProgress })
    const body = source === 'archive' ? { archive: { upload: upload.id }, ...(encoding === null ? {} : { names_encoding: encoding }) } : { manifest: { upload: upload.id } }
    return { job: await upload.use(() => take(api.POST('/datasets/{reference}/lake/parts', { params: { path: { reference: dataset } }, body }))) }
  }
  const sendFile = (source: 'archive' | 'manifest', file: File, encoding: string | null) =>
    sending.start((signal, onProgress) => put({ source, name: file.name, data: file, fingerprint: fingerprintOf(file), encoding }, signal, onProgress), true)
  const sendImages = (images: readonly FrameFile[], prefix: string) => {
    const named = images.map(({ name, data }) => ({ name: `${prefix}${name}`, data }))
    const unknown = newId()
    return sending.start(async (signal, onProgress) => {
      const fingerprint = hasDigests() ? await fingerprintOfAll(named) : unknown
      return put({ source: 'archive', name: `${named[0]?.name ?? ''} ..`, data: tarOf(named), fingerprint }, signal, onProgress)
    }, hasDigests())
  }
  return { ...sending, sendFile, sendImages }
}
