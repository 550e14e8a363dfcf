import type { Difference, DiffKind, Sample } from '../../../shared/api/types'
import { labelBoxes } from '../../../shared/format/labels'
import { BoxLayer } from '../../../shared/ui/box-layer'
import { boxChanges } from './box-changes'

const tiny = 96

interface PicturesProps {
  difference: Difference
  kind: DiffKind
  classes: string[]
  /** The original bytes instead of the thumbnail. */
  full?: boolean
}

/** The picture of a difference; two of them where the bytes themselves changed. */
export function Pictures({ difference: { key, before, after }, kind, classes, full = false }: PicturesProps) {
  const shown = after ?? before
  if (kind === 'changed' && before && after) {
    return (
      <div className="pictures">
        <Picture sample={before} alt={`${key}, before`} full={full} note="before" />
        <Picture sample={after} alt={`${key}, after`} full={full} note="after" />
      </div>
    )
  }
  if (!shown) return <div className="pictures" />
  const { kept, gone, come } = boxChanges(labelBoxes(before?.label ?? null), labelBoxes(after?.label ?? null))
  const one = { classes, width: shown.width ?? 0, height: shown.height ?? 0 }
  return (
    <div className="pictures">
      <Picture sample={shown} alt={key} full={full}>
        {one.width > 0 && (
          <>
            <BoxLayer {...one} boxes={kept} manner="kept" />
            <BoxLayer {...one} boxes={gone} manner="before" />
            <BoxLayer {...one} boxes={come} manner="after" />
          </>
        )}
      </Picture>
    </div>
  )
}

interface PictureProps {
  sample: Sample
  alt: string
  full: boolean
  note?: string
  children?: React.ReactNode
}

function Picture({ sample, alt, full, note, children }: PictureProps) {
  const longest = Math.max(sample.width ?? 0, sample.height ?? 0)
  return (
    <span className="picture">
      <img
        src={full ? sample.url : sample.thumb}
        alt={alt}
        loading="lazy"
        decoding="async"
        className={longest <= tiny ? 'pixels' : ''}
      />
      {children}
      {note !== undefined && <span className="picture-note">{note}</span>}
    </span>
  )
}
