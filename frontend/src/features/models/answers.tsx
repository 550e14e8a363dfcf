import type { ImageAnswer } from '../../shared/api/types'
import { percent } from '../../shared/format/numbers'
import { Swatch } from '../../shared/ui/swatch'
import { Activations } from './activations'

interface AnswersProps {
  answers: { results: ImageAnswer[]; temperature: number | null }
  images: { url: string }[]
  classes: string[]
}

/** What the model says of each image, the likeliest first. */
export function Answers({ answers: { results, temperature }, images, classes }: AnswersProps) {
  return (
    <>
      {temperature !== null && <p className="quiet small">Probabilities are calibrated at temperature {temperature.toFixed(2)}.</p>}
      <ul className="answers" aria-label="Answers">
        {results.map((answer, place) => (
          <li key={`${place} ${answer.name}`} className={answer.activations ? 'answer whole' : 'answer'}>
            <img src={images[place]?.url} alt={answer.name} width={96} height={96} className="pixels" />
            <div className="grow stack">
              <p className="small cut" title={answer.name}>
                {answer.name}
              </p>
              {answer.error ? <p className="form-fault small">{answer.error.detail}</p> : <Told answer={answer} classes={classes} />}
            </div>
            {answer.activations && <Activations activations={answer.activations} />}
          </li>
        ))}
      </ul>
    </>
  )
}

/** Where several classes may be named, those that are; then how likely the likeliest are. */
function Told({ answer, classes }: { answer: ImageAnswer; classes: string[] }) {
  const named = answer.answer && 'classes' in answer.answer ? answer.answer.classes : null
  return (
    <>
      {named && (
        <p>
          <strong>{named.join(', ') || 'none of them'}</strong>
        </p>
      )}
      <Bars answer={answer} classes={classes} />
    </>
  )
}

function Bars({ answer, classes }: { answer: ImageAnswer; classes: string[] }) {
  return (
    <ol className="answer-bars">
      {answer.predictions.map((guess) => {
        const probability = guess.calibrated ?? guess.probability
        return (
          <li key={guess.class} className="row">
            <Swatch classes={classes} name={guess.class} />
            <span className="cut answer-name" title={guess.class}>
              {guess.class}
            </span>
            <span className="bar grow" aria-hidden>
              <span style={{ width: `${probability * 100}%` }} />
            </span>
            <span className="number answer-number">{percent(probability)}</span>
          </li>
        )
      })}
    </ol>
  )
}
