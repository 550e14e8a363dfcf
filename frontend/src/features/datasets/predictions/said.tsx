import './predictions.css'

import type { Sample, SamplePrediction } from '../../../shared/api/types'
import { plural } from '../../../shared/format/numbers'
import { BoxLayer } from '../../../shared/ui/box-layer'

interface SaidProps {
  said: SamplePrediction
  sample: Sample
}

/** What the model says, over the picture; marked where it is not what the label says. */
export function Said({ said, sample }: SaidProps) {
  const { classes, boxes, confidence, correct } = said
  const words = boxes === null ? classes.join(', ') || 'none of them' : plural(boxes.length, 'box', 'boxes')
  const alone = sample.label === null
  return (
    <span className={`tile-said ${correct === false ? 'differs' : ''}`}>
      {correct === false && (
        <>
          <span aria-hidden>≠</span>
          <span className="visually-hidden">not what the label says, </span>
        </>
      )}
      <span className="visually-hidden">predicted </span>
      <span className={`cut ${alone ? 'predicted' : ''}`} title={words}>
        {alone ? `${words}?` : words}
      </span>
      <span className="tile-said-share">{confidence.toFixed(2)}</span>
    </span>
  )
}

/** The boxes that the model finds, dashed. */
export function SaidBoxes({ said: { boxes }, sample: { width, height }, classes }: SaidProps & { classes: readonly string[] }) {
  if (!boxes || boxes.length === 0 || width === null || height === null) return null
  const drawn = boxes.map(({ class: name, box }) => ({ class: name, box: box as [number, number, number, number] }))
  return <BoxLayer width={width} height={height} boxes={drawn} classes={classes} manner="before" />
}
