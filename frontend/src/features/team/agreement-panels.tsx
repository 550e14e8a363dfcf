import { useQuery } from '@tanstack/react-query'

import { isStatus } from '../../shared/api/errors'
import { count, percent } from '../../shared/format/numbers'
import { ScrollingTable } from '../../shared/lists/table'
import { Empty, Failure, Skeleton } from '../../shared/ui/messages'
import { AgreementMatrix } from './agreement-matrix'
import { agreementQuery } from './queries'
import type { Agreement } from './types'
import { biasWords, kappaWord } from './words'

/** How far people agree in one queue, and whether the model's word sways them. */
export function AgreementPanels({ queue }: { queue: number }) {
  const found = useQuery(agreementQuery(queue))
  if (found.isPending) return <Skeleton height={240} />
  if (!found.data) {
    if (isStatus(found.error, 403)) return <p className="quiet">Reviewers, engineers and owners see how much people agree.</p>
    return <Failure what="The agreement could not be loaded" error={found.error} retry={() => void found.refetch()} />
  }
  const { pairs } = found.data
  return (
    <div className="team-panels">
      <section className="panel" aria-labelledby="agreement">
        <div className="panel-head">
          <h2 id="agreement" className="grow">
            Agreement
          </h2>
          <Fleiss of={found.data} />
        </div>
        <div className="panel-body">
          {pairs.some(({ both }) => both > 0) ? (
            <AgreementMatrix agreement={found.data} />
          ) : (
            <Empty>No two people have answered the same task yet. Only queues with two or more answers per task show agreement.</Empty>
          )}
        </div>
      </section>
      <Bias blind={found.data.blind} />
      <ByClass of={found.data} />
    </div>
  )
}

function Fleiss({ of: { fleiss, kind } }: { of: Agreement }) {
  if (fleiss === null) return null
  return (
    <span>
      {kind === 'boxes' ? 'All together' : 'Fleiss’ kappa'} <strong>{fleiss.toFixed(2)}</strong> <span className="quiet">{kappaWord(fleiss)}</span>
    </span>
  )
}

function Bias({ blind }: { blind: Agreement['blind'] }) {
  const rows = [
    ['Suggestion shown', blind.shown],
    ['Hidden (blind tasks)', blind.hidden],
  ] as const
  return (
    <section className="panel" aria-labelledby="bias">
      <div className="panel-head">
        <h2 id="bias">Does the model influence people?</h2>
      </div>
      <div className="panel-body stack">
        <p>{biasWords(blind)}</p>
        <ScrollingTable caption="Agreement with the model">
          <thead>
            <tr>
              <th scope="col">Tasks</th>
              <th scope="col" className="number">
                Answers
              </th>
              <th scope="col" className="number">
                Agree with the model
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map(([name, { answers, agree_with_model: agree }]) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td className="number">{count(answers)}</td>
                <td className="number">{answers === 0 ? '–' : `${percent(agree / answers, 0)} (${count(agree)})`}</td>
              </tr>
            ))}
          </tbody>
        </ScrollingTable>
      </div>
    </section>
  )
}

function ByClass({ of: { by_class: classes, consensus } }: { of: Agreement }) {
  const leastFirst = [...classes].sort((a, b) => (a.agreement ?? 2) - (b.agreement ?? 2))
  return (
    <section className="panel" aria-labelledby="by-class">
      <div className="panel-head">
        <h2 id="by-class">Where they agree least</h2>
      </div>
      <div className="panel-body stack">
        <ScrollingTable caption="Agreement by class, the lowest first">
          <thead>
            <tr>
              <th scope="col">Class</th>
              <th scope="col" className="number">
                Answers
              </th>
              <th scope="col" className="number">
                Agreement
              </th>
            </tr>
          </thead>
          <tbody>
            {leastFirst.map(({ class: said, answers, agreement }) => (
              <tr key={said}>
                <th scope="row">{said}</th>
                <td className="number">{count(answers)}</td>
                <td className="number">{agreement === null ? '–' : percent(agreement, 0)}</td>
              </tr>
            ))}
          </tbody>
        </ScrollingTable>
        {consensus.people.length > 0 && (
          <p className="quiet small">
            {consensus.method === 'dawid_skene' ? 'Weighed by how sure each is (Dawid and Skene): ' : 'By majority: '}
            {consensus.people.map(({ username, accuracy }) => `${username} ${accuracy === null ? '–' : percent(accuracy, 0)}`).join(' · ')}
          </p>
        )}
      </div>
    </section>
  )
}
