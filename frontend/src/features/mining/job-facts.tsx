import type { ReactNode } from 'react'

import type { Compose, Evidence, ObjectsLooked } from '../../shared/api/mining-types'
import type { MiningJob } from '../../shared/api/types'
import { needsWords } from '../../shared/needs/words'
import { percent, plural, when } from '../../shared/format/numbers'
import { committeeWords } from '../../shared/strategies/committee'
import { figure, quotaWords } from './explanation'

/** What the job was asked for. */
export function JobFacts({ job }: { job: MiningJob }) {
  const { strategy, filter, calibration } = job
  const compose = job.compose as Compose | null
  const committee = committeeWords(job.committee)
  const needs = needsWords(job.needs)
  const evidence = job.stats.evidence as Evidence | undefined
  const objects = job.stats.objects as ObjectsLooked | undefined
  return (
    <section className="panel" aria-labelledby="asked">
      <div className="panel-head">
        <h2 id="asked">Settings</h2>
      </div>
      <dl className="panel-body facts">
        <Fact name="Strategy">
          {strategy.name.replaceAll('_', ' ')} {Object.keys(strategy.params).length > 0 && <code>{JSON.stringify(strategy.params)}</code>}
        </Fact>
        {filter && (
          <Fact name="Part of the pool">
            <code>{JSON.stringify(filter)}</code>
          </Fact>
        )}
        {needs !== null && <Fact name="Needs">{needs}</Fact>}
        {committee !== null && <Fact name="Committee">{committee}</Fact>}
        {compose?.quotas?.map((quota, index) => (
          <Fact key={index} name="Quota">
            {quotaWords(quota)}
          </Fact>
        ))}
        {compose?.distance && (
          <Fact name="Minimum distance">
            {figure(compose.distance.cosine)} apart from {compose.distance.to.join(' and ')}
          </Fact>
        )}
        {compose?.gap && (
          <Fact name="Time gap">
            {figure(compose.gap.seconds)} s within one {compose.gap.group}
          </Fact>
        )}
        {compose?.budget !== undefined && <Fact name="Cost budget">{figure(compose.budget)}</Fact>}
        {compose?.objectives?.map((objective) => (
          <Fact key={objective.name} name="Objective">
            {objective.name.replaceAll('_', ' ')}, strength {figure(objective.strength)}
          </Fact>
        ))}
        {job.like && (
          <Fact name="Like">
            {wantedWords(job.like)}
          </Fact>
        )}
        {job.unlike && (
          <Fact name="Unlike">
            {wantedWords(job.unlike)}
          </Fact>
        )}
        {calibration && (
          <Fact name="Calibration">
            temperature {figure(calibration.temperature)}: error {percent(calibration.ece_before)} → {percent(calibration.ece_after)}
          </Fact>
        )}
        {evidence !== undefined && <Fact name="Fitted on">{evidenceWords(evidence)}</Fact>}
        {objects !== undefined && <Fact name="Compared">{objectsWords(objects)}</Fact>}
        <Fact name="Seed">{job.seed}</Fact>
        <Fact name="Started">{when(job.created)}</Fact>
      </dl>
    </section>
  )
}

const mostKeys = 3

/** `test-005.png, test-031.png and 4 more; what it gets wrong in val` */
function wantedWords({ keys = [], failures }: NonNullable<MiningJob['like']>): string {
  const named = keys.length > mostKeys ? `${keys.slice(0, mostKeys).join(', ')} and ${keys.length - mostKeys} more` : keys.join(', ')
  return [...(named === '' ? [] : [named]), ...(failures ? [`what the model gets wrong in ${failures}`] : [])].join('; ')
}

function evidenceWords({ split, labelled, images, objects, right, classes_alone: alone }: Evidence): string {
  const classes = alone.length === 0 ? 'one fit for all classes' : `fitted alone: ${alone.join(', ')}`
  return `${images} of ${labelled} labelled images of ${split}: ${right} of ${objects} objects are right; ${classes}`
}

function objectsWords({ objects, images, scored, unreadable }: ObjectsLooked): string {
  const unread = unreadable === 0 ? '' : `; ${plural(unreadable, 'image')} could not be read`
  return `${plural(objects, 'object')} of ${plural(images, 'image')}, those of ${scored} shown to the model for this job${unread}`
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </>
  )
}
