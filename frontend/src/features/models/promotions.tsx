import type { ReactNode } from 'react'

import type { Promotion } from '../../shared/api/types'
import { when } from '../../shared/format/numbers'
import { MoreRows } from '../../shared/lists/more-rows'
import { useList } from '../../shared/lists/pages'
import { Chip } from '../../shared/ui/chip'
import { Empty, Failure, Skeleton } from '../../shared/ui/messages'
import { GateList } from './gate-list'
import { promotionsList } from './queries'

/** Every move of a model's aliases, a page at a time. */
export function ModelPromotions({ model }: { model: string }) {
  const history = useList(promotionsList(model))
  return (
    <Panel>
      {!history.rows && history.error === null && (
        <div className="panel-body">
          <Skeleton height={80} />
        </div>
      )}
      {!history.rows && history.error !== null && <Failure what="The promotions could not be loaded" error={history.error} retry={history.retry} />}
      {history.rows && <Moves moves={history.rows} none="No promotions yet. Promote a version to put it into production." />}
      <MoreRows noun="promotions" reading={history} byHand />
    </Panel>
  )
}

interface PromotionsProps {
  /** The newest first. */
  moves: readonly Promotion[]
  /** What to do where there is no move. */
  none: string
}

export function Promotions(props: PromotionsProps) {
  return (
    <Panel>
      <Moves {...props} />
    </Panel>
  )
}

function Panel({ children }: { children: ReactNode }) {
  return (
    <section className="panel" aria-labelledby="promotions">
      <div className="panel-head">
        <h2 id="promotions">Promotions</h2>
      </div>
      {children}
    </section>
  )
}

function Moves({ moves, none }: PromotionsProps) {
  if (moves.length === 0) return <Empty>{none}</Empty>
  return (
    <ol>
      {moves.map((move) => (
        <li key={`${move.alias} ${move.created}`} className="move">
          <div className="row wrap">
            <strong>{move.alias}</strong>
            <span>
              {move.previous === null ? `to v${move.version}` : `from v${move.previous} to v${move.version}`}
            </span>
            {move.overridden && <Chip tone="warn">gates overridden</Chip>}
            <span className="grow" />
            <span className="quiet small">
              {move.by}, {when(move.created)}
            </span>
          </div>
          <p className="move-reason">{move.reason}</p>
          {move.gates.length > 0 && (
            <details>
              <summary className="quiet small">
                {move.gates.filter(({ passed }) => passed).length} of {move.gates.length} gates passed
              </summary>
              <GateList gates={move.gates} />
            </details>
          )}
        </li>
      ))}
    </ol>
  )
}
