import type { Why } from '../../shared/api/types'
import { count } from '../../shared/format/numbers'
import { Chip } from '../../shared/ui/chip'

export function WhyPanel({ why }: { why: Why | null }) {
  return (
    <section className="why" aria-labelledby="why">
      <div className="row">
        <h2 id="why" className="grow">
          Why this sample?
        </h2>
        {why?.control === true && <Chip bare>control arm</Chip>}
      </div>
      {why ? <Reasons why={why} /> : <p className="quiet">Added to the queue by hand.</p>}
    </section>
  )
}

function Reasons({ why }: { why: Why }) {
  return (
    <>
      {(why.control || why.reason !== '') && <p>{why.control ? `Picked at random, to measure what ${why.strategy.replaceAll('_', ' ')} gains. ${why.reason}` : why.reason}</p>}
      <dl className="facts">
        <dt>Strategy</dt>
        <dd>{why.strategy.replaceAll('_', ' ')}</dd>
        {why.score !== null && (
          <>
            <dt>Score</dt>
            <dd>{why.score.toPrecision(3)}</dd>
          </>
        )}
        {why.rank !== null && (
          <>
            <dt>Rank</dt>
            <dd>
              {count(why.rank)}
              {why.of !== null && ` of ${count(why.of)}`}
            </dd>
          </>
        )}
      </dl>
      {why.neighbours.length > 0 && (
        <>
          <h3>Nearest labelled</h3>
          <ul className="neighbours">
            {why.neighbours.slice(0, 6).map((each) => (
              <li key={each.key}>
                <img src={each.thumb} width={48} height={48} alt={each.key} title={each.key} className="pixels" />
                <span className="cut">{each.label}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  )
}
