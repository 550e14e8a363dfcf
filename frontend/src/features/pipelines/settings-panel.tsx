import { Link } from '@tanstack/react-router'
import { Fragment } from 'react'

import type { Pipeline } from '../../shared/api/types'
import { needsWords } from '../../shared/needs/words'
import { percent, plural, when } from '../../shared/format/numbers'
import { committeeWords } from '../../shared/strategies/committee'
import { gateWords } from './words'

/** What the pipeline binds together. */
export function SettingsPanel({ pipeline }: { pipeline: Pipeline }) {
  const { strategy, committee, compose } = pipeline
  const needs = [
    ['A training', needsWords(pipeline.needs.train)],
    ['Scoring', needsWords(pipeline.needs.score)],
  ].filter(([, words]) => words !== null)
  return (
    <section className="panel" aria-labelledby="settings">
      <div className="panel-head">
        <h2 id="settings">Settings</h2>
      </div>
      <dl className="panel-body facts">
        <dt>Model</dt>
        <dd>
          <Link to="/models/$model" params={{ model: pipeline.model }}>
            {pipeline.model}
          </Link>
          <span className="quiet">
            , {pipeline.architecture}, {pipeline.warm_start ? 'continues from the previous weights' : 'trained from scratch each round'}
          </span>
        </dd>
        <dt>Strategy</dt>
        <dd>
          {strategy.name.replaceAll('_', ' ')} {Object.keys(strategy.params).length > 0 && <code>{JSON.stringify(strategy.params)}</code>}
        </dd>
        <dt>A round</dt>
        <dd>
          {plural(pipeline.count, 'pick')}, {percent(pipeline.control, 0)} of them at random
        </dd>
        {committee && (
          <>
            <dt>Committee</dt>
            <dd>{committeeWords(committee)}</dd>
          </>
        )}
        {compose && (
          <>
            <dt>Constraints</dt>
            <dd>
              <code>{JSON.stringify(compose)}</code>
            </dd>
          </>
        )}
        {needs.map(([name, words]) => (
          <Fragment key={name}>
            <dt>{name} needs</dt>
            <dd>{words}</dd>
          </Fragment>
        ))}
        <dt>Gates</dt>
        <dd>
          {pipeline.gates.map((gate, index) => (
            <p key={index}>{gateWords(gate)}</p>
          ))}
        </dd>
        <dt>Created</dt>
        <dd>{when(pipeline.created)}</dd>
      </dl>
    </section>
  )
}
