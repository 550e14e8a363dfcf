import { useQuery, useQueryClient } from '@tanstack/react-query'
import { ChevronLeft, ChevronRight } from 'lucide-react'
import type { KeyboardEvent } from 'react'

import type { PickOfJob } from '../../shared/api/types'
import { labelBoxes } from '../../shared/format/labels'
import { count, percent } from '../../shared/format/numbers'
import { BoxPicture } from '../../shared/ui/box-picture'
import { Chip } from '../../shared/ui/chip'
import { Dialog } from '../../shared/ui/dialog'
import { Failure, Skeleton } from '../../shared/ui/messages'
import { RefusableButton } from '../../shared/ui/refusable-button'
import { Swatch } from '../../shared/ui/swatch'
import { figure, quotaWords } from './explanation'
import { sizeOf } from './fitting'
import { pickQuery } from './queries'
import { TermTable } from './term-table'

/** So many classes that are not named stand beside those that are. */
const mostOthers = 3

interface WhyDrawerProps {
  job: number
  rank: number
  total: number
  classes: readonly string[]
  onMove: (rank: number) => void
  onClose: () => void
}

/** Why a sample was picked: the picture, the factors of its score, its neighbours, and who it took the place of. */
export function WhyDrawer({ job, rank, total, classes, onMove, onClose }: WhyDrawerProps) {
  const pick = useQuery(pickQuery(useQueryClient(), job, rank))
  const move = (to: number) => to >= 1 && to <= total && onMove(to)
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'ArrowRight') move(rank + 1)
    else if (event.key === 'ArrowLeft') move(rank - 1)
    else return
    event.preventDefault()
  }
  return (
    <Dialog drawer onClose={onClose} title={`Why pick ${count(rank)}?`} onKeyDown={onKeyDown}>
      <div className="stack wide-gap">
        <div className="row">
          <RefusableButton className="button icon" aria-label="Previous pick" refusal={rank <= 1 ? 'This is the first pick.' : null} onClick={() => move(rank - 1)}>
            <ChevronLeft size={16} aria-hidden />
          </RefusableButton>
          <RefusableButton className="button icon" aria-label="Next pick" refusal={rank >= total ? 'This is the last pick.' : null} onClick={() => move(rank + 1)}>
            <ChevronRight size={16} aria-hidden />
          </RefusableButton>
          <span className="quiet">
            {count(rank)} of {count(total)}
          </span>
          <span className="grow" />
          {pick.data?.control === true && <Chip bare>control arm</Chip>}
        </div>
        {pick.isPending && <Skeleton height={420} />}
        {pick.isError && !pick.data && <Failure what="The pick could not be loaded" error={pick.error} retry={() => void pick.refetch()} />}
        {pick.data && <Why pick={pick.data} classes={classes} />}
      </div>
    </Dialog>
  )
}

function Why({ pick, classes }: { pick: PickOfJob; classes: readonly string[] }) {
  const { explanation, prediction, sample } = pick
  return (
    <>
      <div className="pick-stage">
        {prediction !== null && 'boxes' in prediction ? (
          <BoxPicture src={sample.url} alt={sample.key} boxes={labelBoxes(prediction)} classes={classes} counted={sizeOf(sample) ?? 'image'} named />
        ) : (
          <img src={sample.url} alt={sample.key} className="pixels" />
        )}
      </div>
      <p>{pick.control ? `Picked at random, to measure what mining gains. ${pick.reason}` : pick.reason}</p>
      {explanation.terms.length > 0 && <TermTable explanation={explanation} />}
      <dl className="facts">
        <dt>Sample</dt>
        <dd className="mono">{sample.key}</dd>
        <Prediction pick={pick} classes={classes} />
        {pick.score !== null && (
          <>
            <dt>Score</dt>
            <dd>{figure(pick.score)}</dd>
          </>
        )}
        {pick.probability !== null && (
          <>
            <dt>Probability</dt>
            <dd>{percent(pick.probability, 2)} of being picked this way</dd>
          </>
        )}
        {explanation.quota && (
          <>
            <dt>Quota</dt>
            <dd>let in by {quotaWords(explanation.quota)}</dd>
          </>
        )}
        {explanation.displaced && (
          <>
            <dt>Instead of</dt>
            <dd>
              <span className="mono">{explanation.displaced.key}</span>
              {explanation.displaced.score !== null && ` with score ${figure(explanation.displaced.score)}`}
              {explanation.displaced.reason && <p className="quiet small">{explanation.displaced.reason}</p>}
            </dd>
          </>
        )}
      </dl>
      {explanation.neighbours.length > 0 && <Neighbours neighbours={explanation.neighbours} />}
    </>
  )
}

function Prediction({ pick: { prediction }, classes }: { pick: PickOfJob; classes: readonly string[] }) {
  if (prediction === null) return null
  if ('boxes' in prediction) return <FoundBoxes boxes={prediction.boxes} classes={classes} />
  const several = 'classes' in prediction
  return (
    <>
      <dt>The model says</dt>
      <dd>
        {several ? prediction.classes.join(', ') || 'none of them' : prediction.class}
        <span className="quiet">
          {' '}
          {percent(prediction.probability)} sure{several && ' of the least sure class'}
        </span>
        {several && <Shares shares={prediction.probabilities} named={prediction.classes} />}
      </dd>
    </>
  )
}

/** What the model found, the surest first. */
function FoundBoxes({ boxes, classes }: { boxes: readonly { class: string; score?: number }[]; classes: readonly string[] }) {
  return (
    <>
      <dt>The model says</dt>
      <dd>
        {boxes.length === 0 ? (
          'no box'
        ) : (
          <ul aria-label="Boxes of the model">
            {[...boxes]
              .sort((a, b) => (b.score ?? 0) - (a.score ?? 0))
              .map((box, place) => (
                <li key={place} className="row">
                  <Swatch classes={classes} name={box.class} />
                  <span className="cut">{box.class}</span>
                  {box.score !== undefined && <span className="quiet number">{box.score.toFixed(2)}</span>}
                </li>
              ))}
          </ul>
        )}
      </dd>
    </>
  )
}

/** How likely each class is: those that are named, then the likeliest others. */
function Shares({ shares, named }: { shares: Record<string, number>; named: readonly string[] }) {
  const others = Object.keys(shares).filter((name) => !named.includes(name))
  const falling = (names: readonly string[]) => [...names].sort((a, b) => (shares[b] ?? 0) - (shares[a] ?? 0))
  return (
    <ul className="shares" aria-label="How likely each class is">
      {[...falling(named), ...falling(others).slice(0, mostOthers)].map((name) => (
        <li key={name} className="row">
          <span className={`cut share-name ${named.includes(name) ? '' : 'quiet'}`} title={name}>
            {name}
          </span>
          <span className="bar grow" aria-hidden>
            <span style={{ width: `${(shares[name] ?? 0) * 100}%` }} />
          </span>
          <span className="number">{percent(shares[name] ?? 0)}</span>
        </li>
      ))}
    </ul>
  )
}

function Neighbours({ neighbours }: { neighbours: PickOfJob['neighbours'] }) {
  return (
    <section aria-labelledby="nearest" className="stack">
      <h3 id="nearest">Nearest labelled</h3>
      <ul className="neighbours-row">
        {neighbours.map((each) => (
          <li key={each.key}>
            <img src={each.thumb} width={72} height={72} alt={each.key} title={each.key} className="pixels" />
            {each.label !== '' && <p className="small cut">{each.label}</p>}
            <p className="quiet small">{figure(each.distance)} away</p>
          </li>
        ))}
      </ul>
    </section>
  )
}
