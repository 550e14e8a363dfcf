import { useState } from 'react'

import type { ImageAnswer } from '../../shared/api/types'
import { plural } from '../../shared/format/numbers'
import { BoxPicture, type DrawnBox } from '../../shared/ui/box-picture'
import { RefusableButton } from '../../shared/ui/refusable-button'
import { Swatch } from '../../shared/ui/swatch'
import { Activations } from './activations'

/** Below it the model tells of no box. */
const least = 0.05

interface BoxAnswersProps {
  results: readonly ImageAnswer[]
  images: readonly { url: string }[]
  classes: readonly string[]
  /** By class, those that were chosen on validation samples. */
  thresholds: Readonly<Record<string, number>>
}

/** The images with what a detector found in them, at its own thresholds or at another for all classes. */
export function BoxAnswers({ results, images, classes, thresholds }: BoxAnswersProps) {
  const [from, setFrom] = useState<number | null>(null)
  const own = ownThresholds(classes, thresholds)
  return (
    <>
      <div className="row wrap">
        <label className="threshold small">
          <span>Lowest score {from === null ? own.words : from.toFixed(2)}</span>
          <input type="range" min={least} max={1} step={0.01} value={from ?? own.least} aria-valuetext={from === null ? own.words : from.toFixed(2)} onChange={({ target }) => setFrom(Number(target.value))} />
        </label>
        <RefusableButton className="button little" refusal={from === null ? 'These are the model’s thresholds.' : null} onClick={() => setFrom(null)}>
          The model’s thresholds
        </RefusableButton>
      </div>
      <ul className="box-answers" aria-label="Answers">
        {results.map((answer, place) => (
          <li key={`${place} ${answer.name}`} className="stack">
            <p className="small cut" title={answer.name}>
              {answer.name}
            </p>
            {answer.error ? (
              <p className="form-fault small">{answer.error.detail}</p>
            ) : (
              <BoxAnswer name={answer.name} url={images[place]?.url ?? ''} boxes={boxesOf(answer, from)} classes={classes} />
            )}
            {answer.activations && <Activations activations={answer.activations} />}
          </li>
        ))}
      </ul>
    </>
  )
}

interface BoxAnswerProps {
  name: string
  url: string
  boxes: readonly DrawnBox[]
  classes: readonly string[]
}

function BoxAnswer({ name, url, boxes, classes }: BoxAnswerProps) {
  const [pointed, setPointed] = useState<number | null>(null)
  return (
    <div className="box-answer">
      <BoxPicture src={url} alt={name} boxes={boxes} classes={classes} counted="image" named pointed={pointed !== null && pointed < boxes.length ? pointed : null} />
      <div className="stack">
        <p className="small" role="status">
          {boxes.length === 0 ? 'No box scores as much.' : plural(boxes.length, 'box', 'boxes')}
        </p>
        <ol className="box-list" aria-label={`Boxes in ${name}`}>
          {boxes.map(({ class: found, score }, place) => (
            <li key={place}>
              <button
                type="button"
                className="box-row row"
                onPointerEnter={() => setPointed(place)}
                onPointerLeave={() => setPointed(null)}
                onFocus={() => setPointed(place)}
                onBlur={() => setPointed(null)}
              >
                <Swatch classes={classes} name={found} />
                <span className="cut grow">{found}</span>
                <span className="number">{score?.toFixed(2)}</span>
              </button>
            </li>
          ))}
        </ol>
      </div>
    </div>
  )
}

/** The surest first: as the model answers, or all that score `from` or more. */
function boxesOf({ answer, predictions }: ImageAnswer, from: number | null): DrawnBox[] {
  if (from === null) return answer && 'boxes' in answer ? answer.boxes.map(({ class: name, box, score }) => ({ class: name, box: cornersOf(box), score })) : []
  return predictions.flatMap(({ class: name, box, probability }) => (box && probability >= from ? [{ class: name, box: cornersOf(box), score: probability }] : []))
}

function cornersOf([x1 = 0, y1 = 0, x2 = 0, y2 = 0]: readonly number[]): DrawnBox['box'] {
  return [x1, y1, x2, y2]
}

const even = 0.5

/** The lowest of the model's own thresholds, and all of them in words. */
function ownThresholds(classes: readonly string[], thresholds: Readonly<Record<string, number>>) {
  const found = classes.map((name) => thresholds[name] ?? even)
  const [low, high] = [Math.min(...found), Math.max(...found)]
  const words = low.toFixed(2) === high.toFixed(2) ? low.toFixed(2) : `${low.toFixed(2)} to ${high.toFixed(2)}, by class`
  return { least: Math.max(least, low), words }
}
