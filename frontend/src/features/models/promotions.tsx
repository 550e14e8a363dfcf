import type { ModelVersionDetail } from '../../shared/api/types'
import { when } from '../../shared/format/numbers'
import { Chip } from '../../shared/ui/chip'
import { Empty } from '../../shared/ui/messages'
import { GateList } from './gate-list'

/** Every move of an alias to one of these versions, the newest first; `none` says what to do where there is no move. */
export function Promotions({ details, none }: { details: ModelVersionDetail[]; none: string }) {
  const moves = details.flatMap(({ promotions }) => promotions).sort((a, b) => (a.created < b.created ? 1 : -1))
  return (
    <section className="panel" aria-labelledby="promotions">
      <div className="panel-head">
        <h2 id="promotions">Promotions</h2>
      </div>
      {moves.length === 0 ? (
        <Empty>{none}</Empty>
      ) : (
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
      )}
    </section>
  )
}
