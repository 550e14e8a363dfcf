import { archiveOf, belowOneFolder, type FoundFile, type LeftFile, sorted } from '../exchange/chosen-files'
import { planOf, type Plan } from './plan'
import { splitNamed } from './split-names'

export interface ChosenUpload {
  found: FoundFile[]
  plan: Plan
  bytes: number
  /** What a dataset can't use, and why. */
  left: LeftFile[]
  /** How many of all are taken only converted. */
  convertible: number
  /** An archive that was chosen alone: it is sent as it is, once the dataset is made. */
  archive: File | null
  /** What lies in the archive; null until it is listed. */
  inside: FoundFile[] | 'can’t be listed' | 'names are not UTF-8' | null
  /** The encoding of the archive's names, if it is not UTF-8. */
  encoding: string | null
}

export function chosenOf(found: FoundFile[], { convert = false, inside = null, encoding = null }: Partial<Pick<ChosenUpload, 'inside' | 'encoding'>> & { convert?: boolean } = {}): ChosenUpload {
  const archive = archiveOf(found)
  const listed = archive ? (Array.isArray(inside) ? inside : []) : found
  const paths = listed.map(({ path }) => path)
  const tops = new Set(paths.filter((path) => path.includes('/')).map((path) => path.slice(0, path.indexOf('/'))))
  const [top = ''] = tops.size === 1 ? tops : []
  // One folder around everything is only a folder, unless it is named like a split.
  const shorter = belowOneFolder(paths, new Set([...tops].filter((name) => splitNamed(name) !== null)))
  const files = sorted(
    listed.map((one) => ({ ...one, path: shorter(one.path) })),
    convert,
  )
  const plan = planOf(files, archive ? stemOf(archive.name) : top, convert)
  return { found, plan, bytes: archive?.size ?? files.bytes, left: files.left, convertible: files.convertible, archive, inside, encoding }
}

/** `pets.tar.gz` -> `pets`. */
function stemOf(name: string): string {
  return name.replace(/\.(zip|tar|tar\.gz|tgz)$/i, '')
}
