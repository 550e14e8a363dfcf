import { Link } from '@tanstack/react-router'

import type { Outcome } from '../../../shared/api/types'
import type { Box } from '../../../shared/format/labels'
import { percent } from '../../../shared/format/numbers'
import { BoxPicture, type DrawnBox } from '../../../shared/ui/box-picture'
import { Swatch } from '../../../shared/ui/swatch'
import { type Corners, cropOf, thumbnailServes } from './crop'

/** px of the screen, as wide as tiles get. */
const tile = 176

interface OutcomeTileProps {
  outcome: Outcome
  classes: readonly string[]
  objects: boolean
  dataset: string
  /** Of the dataset. */
  version: number
  chosen: boolean
  onChoose: () => void
}

/** One thing that was told right or wrong: where it is, what it is, what it was taken for, and how sure the model was. */
export function OutcomeTile({ outcome, classes, objects, dataset, version, chosen, onChoose }: OutcomeTileProps) {
  const { key, sample } = outcome
  const said = words(outcome, objects)
  return (
    <div className={`outcome ${chosen ? 'chosen' : ''}`}>
      {sample === null ? (
        <Picture outcome={outcome} classes={classes} />
      ) : (
        <Link to="/datasets/$id" params={{ id: dataset }} search={{ v: version, ids: String(sample) }} className="outcome-picture">
          <Picture outcome={outcome} classes={classes} />
        </Link>
      )}
      <label className="check small">
        <input type="checkbox" checked={chosen} disabled={sample === null} aria-label={`Select ${key ?? 'an erased sample'}, ${said}`} onChange={onChoose} />
        <span className="outcome-words">
          <Class name={outcome.label} classes={classes} none={objects ? (taken(outcome) ? 'found already' : 'nothing') : 'not it'} />
          <span aria-hidden>→</span>
          <Class name={outcome.predicted} classes={classes} none={objects ? 'not found' : 'not said'} />
        </span>
      </label>
      <p className="quiet small">{figures(outcome, objects)}</p>
      {sample === null && <p className="quiet small">no longer in the dataset</p>}
    </div>
  )
}

/** The IoU from which on a box is an object. */
const match = 0.5

/** A box where an object is, to which another box belongs. */
function taken({ label, overlap }: Pick<Outcome, 'label' | 'overlap'>): boolean {
  return label === null && overlap !== null && overlap >= match
}

/** How sure the model was; of an object that was not found, how sure of a box below the threshold, and what lies there instead. */
function figures({ predicted, score, overlap }: Outcome, objects: boolean): string {
  if (!objects) return `${percent(score)} sure`
  if (predicted !== null) return `score ${score.toFixed(2)}${overlap === null ? '' : `, overlap ${overlap.toFixed(2)}`}`
  const near = overlap === null || overlap === 0 ? '' : `; another box overlaps by ${overlap.toFixed(2)}`
  return `${score === 0 ? 'no box' : `a box scored ${score.toFixed(2)}, below its threshold`}${near}`
}

function words({ label, predicted, overlap }: Outcome, objects: boolean): string {
  if (label === null) return `${predicted ?? ''} ${objects ? (taken({ label, overlap }) ? 'where an object is found already' : 'where there is nothing') : 'named wrongly'}`
  if (predicted === null) return `${label} ${objects ? 'not found' : 'not said'}`
  return label === predicted ? `${label} told right` : `${label} taken for ${predicted}`
}

function Class({ name, classes, none }: { name: string | null; classes: readonly string[]; none: string }) {
  if (name === null) return <span className="quiet">{none}</span>
  return (
    <span className="row outcome-class">
      <Swatch classes={classes} name={name} />
      <span className="cut" title={name}>
        {name}
      </span>
    </span>
  )
}

/** The image around the boxes; all of it where there are none. A thumbnail where that is as sharp, else the image. */
function Picture({ outcome: { md5, key, width, height, label, predicted, box, object }, classes }: { outcome: Outcome; classes: readonly string[] }) {
  if (key === null || width === null || height === null) return <span className="crop" />
  const truth: Box[] = object === null ? [] : [{ class: label ?? '', box: corners(object) }]
  const boxes: DrawnBox[] = box === null ? [] : [{ class: predicted ?? '', box: corners(box) }]
  const drawn = [...truth, ...boxes]
  const crop = cropOf(drawn.map((one) => one.box), width, height)
  const source = drawn.length === 0 || thumbnailServes(crop, width, height, tile * window.devicePixelRatio) ? 'thumbs' : 'blobs'
  const share = (part: number) => `${(part * 100).toFixed(3)}%`
  return (
    <span className="crop">
      <span className="crop-image" style={{ left: share(crop.left), top: share(crop.top), width: share(crop.width), height: share(crop.height) }}>
        <BoxPicture src={`/${source}/${md5}`} alt={key} boxes={boxes} truth={truth} classes={classes} counted="share" manner="before" />
      </span>
    </span>
  )
}

function corners([x1 = 0, y1 = 0, x2 = 0, y2 = 0]: readonly number[]): Box['box'] & Corners {
  return [x1, y1, x2, y2]
}
