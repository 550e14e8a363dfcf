import { Check, CopyCheck } from 'lucide-react'
import { type MouseEvent, memo } from 'react'

import type { NearDuplicate, Sample, SamplePrediction, SimilarSample } from '../../shared/api/types'
import { labelClass, labelText } from '../../shared/format/labels'
import { Swatch } from '../../shared/ui/swatch'
import { Said, SaidBoxes } from './predictions/said'
import type { Rendering } from './rendering'
import { Shapes } from './shapes'
import { SimilarButton } from './similar/similar-button'
import { Similarity } from './similar/similarity'
import { untilGone } from './until-gone'

interface TileProps {
  dataset: string
  index: number
  /** undefined while its window is being read. */
  sample: Sample | SimilarSample | undefined
  /** What the model says whose predictions are shown. */
  said: SamplePrediction | undefined
  /** It shows nearly what a test sample shows. */
  near: NearDuplicate | undefined
  classes: string[]
  size: number
  rendering: Rendering
  /** Boxes and polygons are drawn. */
  shapes: boolean
  focused: boolean
  chosen: boolean
  onFocus: () => void
  onOpen: () => void
  onPick: (ranged: boolean) => void
}

const tiny = 96

export const Tile = memo(function Tile({ dataset, index, sample, said, near, classes, size, rendering, shapes, focused, chosen, onFocus, onOpen, onPick }: TileProps) {
  const label = sample ? labelText(sample.label) : null
  const name = sample ? labelClass(sample.label) : null
  const predicted = sample?.label_source === 'model'
  const onClick = (event: MouseEvent) => {
    if (event.shiftKey || event.ctrlKey || event.metaKey) onPick(event.shiftKey)
    else onOpen()
  }
  return (
    // The keys of the page serve every tile: arrows, space and Enter.
    // eslint-disable-next-line jsx-a11y/click-events-have-key-events
    <div
      role="gridcell"
      className="tile"
      data-index={index}
      tabIndex={focused ? 0 : -1}
      aria-selected={chosen}
      style={{ width: size }}
      onFocus={onFocus}
      onClick={onClick}
    >
      {sample && (
        <button
          type="button"
          role="checkbox"
          aria-checked={chosen}
          aria-label={`Select ${sample.key}`}
          tabIndex={-1}
          className="tile-check"
          onClick={(event) => {
            event.stopPropagation()
            onPick(event.shiftKey)
          }}
        >
          <span>{chosen && <Check size={14} aria-hidden />}</span>
        </button>
      )}
      {sample ? (
        <span className="tile-picture">
          <img
            ref={untilGone}
            src={sample.thumb}
            alt={sample.key}
            width={size}
            height={size}
            decoding="async"
            className={inPixels(rendering, sample) ? 'pixels' : ''}
          />
          {shapes && <Shapes sample={sample} classes={classes} />}
          {said && <SaidBoxes said={said} sample={sample} classes={classes} />}
          {said && <Said said={said} sample={sample} />}
        </span>
      ) : (
        <span className="tile-blank" style={{ height: size }}>
          <span className="visually-hidden">Item {index + 1} is loading</span>
        </span>
      )}
      <span className="tile-caption">
        {name !== null && <Swatch classes={classes} name={name} />}
        <span className={`cut ${predicted ? 'predicted' : ''}`} title={label ?? undefined}>
          {sample && label === null && <Unlabelled />}
          {predicted && label !== null ? `${label}?` : label}
        </span>
        <span className="grow" />
        {near && (
          <span className="near-badge" title={`Nearly the same as ${near.of} of the test split`}>
            <CopyCheck size={12} aria-hidden />
            <span className="visually-hidden">near-duplicate of {near.of}</span>
          </span>
        )}
        <Similarity sample={sample} />
        <span className="quiet">{sample?.split}</span>
      </span>
      {sample && <SimilarButton dataset={dataset} sampleKey={sample.key} />}
    </div>
  )
})

function inPixels(rendering: Rendering, { width, height }: Sample): boolean {
  return rendering === 'auto' ? Math.max(width ?? 0, height ?? 0) <= tiny : rendering === 'pixels'
}

function Unlabelled() {
  return (
    <>
      <span aria-hidden>–</span>
      <span className="visually-hidden">not labelled</span>
    </>
  )
}
