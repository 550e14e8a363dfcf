import { useMutation } from '@tanstack/react-query'

import { useMay } from '../../shared/access/use-may'
import type { Pipeline } from '../../shared/api/types'
import { when } from '../../shared/format/numbers'
import { useNow } from '../../shared/live/use-now'
import { CopyLine } from '../../shared/ui/copy-line'
import { rotateSecret } from './queries'
import { shareWords } from './judging'
import { triggerWords, untilWords } from './words'

/** What begins a round: a person, a schedule, triggers. */
export function RunsWhenPanel({ pipeline }: { pipeline: Pipeline }) {
  const triggers = triggerWords(pipeline.trigger, shareWords(pipeline))
  const last = pipeline.last_trigger
  return (
    <section className="panel" aria-labelledby="runs-when">
      <div className="panel-head">
        <h2 id="runs-when">When it runs</h2>
      </div>
      <dl className="panel-body facts">
        <dt>Schedule</dt>
        <dd>
          {pipeline.schedule ? (
            <>
              {pipeline.schedule_words ?? pipeline.schedule} <span className="quiet mono">{pipeline.schedule}</span>
            </>
          ) : (
            'only by hand'
          )}
        </dd>
        {pipeline.next_run && (
          <>
            <dt>Next run</dt>
            <dd>
              <Next at={pipeline.next_run} />
            </dd>
          </>
        )}
        <dt>Triggers</dt>
        <dd>{triggers.length === 0 ? 'none' : `after ${triggers.join(', or ')}`}</dd>
        {last && (
          <>
            <dt>Last trigger</dt>
            <dd>
              {last.what.replaceAll('_', ' ')}, {when(last.at)}
              {last.detail && <p className="quiet small">{last.detail}</p>}
            </dd>
          </>
        )}
      </dl>
      {pipeline.trigger.webhook === true && <Webhook pipeline={pipeline} />}
    </section>
  )
}

function Next({ at }: { at: string }) {
  return (
    <>
      {when(at)} <span className="quiet">{untilWords(at, useNow())}</span>
    </>
  )
}

function Webhook({ pipeline }: { pipeline: Pipeline }) {
  const mayBuild = useMay('build')
  const rotate = useMutation({
    mutationFn: () => rotateSecret(pipeline.id),
    meta: { renews: [['pipelines']], refused: 'The webhook was not changed.' },
  })
  const address = pipeline.webhook_url ? new URL(pipeline.webhook_url, window.location.origin).href : null
  return (
    <div className="panel-body stack panel-part">
      <h3>Webhook</h3>
      {rotate.data ? (
        <>
          <CopyLine what="The call" line={`curl -X POST -H 'X-Motherlode-Secret: ${rotate.data.secret}' ${address ?? new URL(rotate.data.url, window.location.origin).href}`} />
          <p className="quiet small">The secret is shown only once.</p>
        </>
      ) : (
        address && <code>{address}</code>
      )}
      {mayBuild && (
        <div>
          <button type="button" className="button little" disabled={rotate.isPending} onClick={() => rotate.mutate()}>
            {address ? 'Create a new secret' : 'Create the address'}
          </button>
        </div>
      )}
    </div>
  )
}
