import type { LabelValue } from '../../shared/api/types'
import { duration, percent } from '../../shared/format/numbers'
import { keyName } from '../../shared/classes/class-key'
import { ClassSwatch } from '../../shared/classes/class-mark'
import type { SchemaClass } from '../../shared/classes/types'
import { Chip } from '../../shared/ui/chip'
import { RefusableButton } from '../../shared/ui/refusable-button'
import type { AnswerLayer } from './layers'
import { isShapes, type AnswerOption, valueWords } from './options'
import type { Review, ReviewAnswer } from './types'

interface AnswersPanelProps {
  review: Review
  options: readonly AnswerOption[]
  classes: readonly SchemaClass[]
  layers: readonly AnswerLayer[]
  hidden: ReadonlySet<string>
  /** Whether what is shown can be taken now. */
  open: boolean
  onToggle: (layer: string) => void
  onTake: (value: LabelValue | null) => void
}

/** What everybody said, once for each different thing, with who said it and how sure the consensus and the model are. */
export function AnswersPanel({ review, options, classes, layers, hidden, open, onToggle, onTake }: AnswersPanelProps) {
  return (
    <section className="stack" aria-label="Answers">
      <h2 className="row">
        Answers {review.consensus?.tied === true && <Chip tone="warn">tie{sure(review.consensus.confidence)}</Chip>}
      </h2>
      <ul className="options">
        {options.map((option, place) => (
          <li key={place} className="option">
            <div className="row wrap">
              <RefusableButton className="button" refusal={!open ? 'This image is decided already.' : option.value === null ? 'A skip is no label: take another answer, or decide yourself.' : null} onClick={() => onTake(option.value)}>
                <OptionKey option={option} review={review} classes={classes} />
                <Value option={option} classes={classes} />
              </RefusableButton>
              {option.consensus && <Chip tone="ok">consensus{sure(option.consensus.confidence)}</Chip>}
              {option.model && <Chip tone="live">model{sure(option.model.probability)}</Chip>}
            </div>
            <ul className="people">
              {option.answers.map((answer) => (
                <Said key={answer.id} answer={answer} guessed={review.suggestion !== null} />
              ))}
              {option.answers.length === 0 && <li className="quiet small">Nobody gave this answer.</li>}
            </ul>
          </li>
        ))}
      </ul>
      {layers.length > 0 && <LayerSwitches layers={layers} hidden={hidden} onToggle={onToggle} />}
      <Overlaps review={review} />
    </section>
  )
}

function sure(share: number | null): string {
  return share === null ? '' : ` ${percent(share, 0)}`
}

/** What takes the option: the class's own key, or the answer's number with Shift over shapes. A skip can't be taken. */
function OptionKey({ option, review, classes }: { option: AnswerOption; review: Review; classes: readonly SchemaClass[] }) {
  const { value } = option
  if (value === null) return null
  if ('class' in value) {
    const key = keyName(classes.find(({ name }) => name === value.class)?.key ?? null)
    return key === null ? null : <kbd>{key}</kbd>
  }
  const first = option.answers[0]
  if (!first) return null
  const place = review.answers.indexOf(first) + 1
  return <kbd>{isShapes(value) ? `⇧${place}` : place}</kbd>
}

function Value({ option: { value }, classes }: { option: AnswerOption; classes: readonly SchemaClass[] }) {
  const known = value !== null && 'class' in value ? classes.find(({ name }) => name === value.class) : undefined
  return (
    <>
      {known && <ClassSwatch colour={known.colour} dash={known.dash} />}
      <span className="cut">{valueWords(value)}</span>
    </>
  )
}

function Said({ answer: { author, seconds, reason, shown_suggestion: shown }, guessed }: { answer: ReviewAnswer; guessed: boolean }) {
  return (
    <li className="row small">
      <span className="grow cut">
        {author.username}
        {reason !== '' && <span className="quiet"> “{reason}”</span>}
      </span>
      <span className="quiet">{duration(seconds)}</span>
      {guessed && <span className="quiet">{shown ? 'saw the model’s word' : 'without the model’s word'}</span>}
    </li>
  )
}

interface LayerSwitchesProps {
  layers: readonly AnswerLayer[]
  hidden: ReadonlySet<string>
  onToggle: (layer: string) => void
}

const letters: Record<string, string> = { consensus: 'C', model: 'M' }

function LayerSwitches({ layers, hidden, onToggle }: LayerSwitchesProps) {
  return (
    <div className="stack" role="group" aria-label="Shown over the image">
      {layers.map(({ id, name, key, colour, dash }) => (
        <button key={id} type="button" className="button layer-switch" aria-pressed={!hidden.has(id)} onClick={() => onToggle(id)}>
          <kbd>{key ?? letters[id]}</kbd>
          <svg width="28" height="8" aria-hidden style={{ color: colour }}>
            <line className="halo" x1="1" y1="4" x2="27" y2="4" />
            <line className="line" x1="1" y1="4" x2="27" y2="4" strokeDasharray={dash} />
          </svg>
          <span className="grow cut">{name}</span>
          <span className="quiet small">{hidden.has(id) ? 'hidden' : 'shown'}</span>
        </button>
      ))}
    </div>
  )
}

/** How much two people's shapes overlap, pair by pair. */
function Overlaps({ review: { iou, answers } }: { review: Review }) {
  if (iou.length === 0) return null
  const name = (id: number) => answers.find((answer) => answer.id === id)?.author.username ?? '?'
  return (
    <dl className="overlaps" aria-label="Overlap of each pair (IoU)">
      {iou.map(({ a, b, iou: share }) => (
        <div key={`${a} ${b}`} className="row small">
          <dt className="grow cut">
            {name(a)} – {name(b)}
          </dt>
          <dd>{share === null ? 'nothing in common' : `${percent(share, 0)} overlap`}</dd>
        </div>
      ))}
    </dl>
  )
}
