import { useQuery } from '@tanstack/react-query'

import type { StrategyFacts } from '../api/types'
import { Field } from '../ui/form'
import { paramsOf, readParams, type Param, type ReadParams } from './params'
import { strategiesQuery } from './queries'

/** A strategy while it is chosen: its parameters are what was typed. */
export interface StrategyDraft {
  name: string
  typed: Record<string, string>
}

const none: readonly StrategyFacts[] = []

interface StrategyFieldProps {
  draft: StrategyDraft
  onChange: (draft: StrategyDraft) => void
  fault: string | null
  /** What may be chosen here beside the strategies that every job has. */
  besides?: readonly StrategyFacts[]
}

export function StrategyField({ draft, onChange, fault, besides = none }: StrategyFieldProps) {
  const strategies = [...(useQuery(strategiesQuery).data ?? []), ...besides]
  const chosen = strategies.find(({ name }) => name === draft.name)
  const params = chosen ? paramsOf(chosen.params_schema) : []
  const { faults } = readParams(params, draft.typed)
  const type = (name: string, text: string) => onChange({ ...draft, typed: { ...draft.typed, [name]: text } })
  return (
    <>
      <Field label="Strategy" hint={chosen?.summary ?? 'How the picks are chosen.'} fault={fault}>
        {(joined) => (
          <select {...joined} className="field" value={draft.name} onChange={({ target }) => onChange({ name: target.value, typed: {} })}>
            {!chosen && <option value={draft.name}>{draft.name.replaceAll('_', ' ')}</option>}
            {strategies.map(({ name }) => (
              <option key={name} value={name}>
                {name.replaceAll('_', ' ')}
              </option>
            ))}
          </select>
        )}
      </Field>
      {params.length > 0 && (
        <fieldset className="form-group">
          <legend>Parameters of {draft.name.replaceAll('_', ' ')}</legend>
          <div className="form-columns">
            {params.map((param) => (
              <ParamField key={param.name} param={param} text={draft.typed[param.name] ?? ''} fault={faults[param.name] ?? null} onType={(text) => type(param.name, text)} />
            ))}
          </div>
        </fieldset>
      )}
    </>
  )
}

interface ParamFieldProps {
  param: Param
  text: string
  fault: string | null
  onType: (text: string) => void
}

function ParamField({ param, text, fault, onType }: ParamFieldProps) {
  const choices = param.kind === 'boolean' ? ['true', 'false'] : param.choices
  return (
    <Field label={param.title} hint={param.description} fault={fault}>
      {(joined) =>
        choices.length > 0 ? (
          <select {...joined} className="field" value={text} onChange={({ target }) => onType(target.value)}>
            <option value="">{param.fallback === '' ? 'left to the strategy' : `${readable(param.fallback)} (default)`}</option>
            {choices.map((choice) => (
              <option key={choice} value={choice}>
                {readable(choice)}
              </option>
            ))}
          </select>
        ) : (
          <input
            {...joined}
            className="field"
            inputMode={param.kind === 'integer' || param.kind === 'number' ? 'decimal' : 'text'}
            placeholder={param.fallback}
            value={text}
            onChange={({ target }) => onType(target.value)}
          />
        )
      }
    </Field>
  )
}

function readable(choice: string): string {
  return { true: 'yes', false: 'no' }[choice] ?? choice.replaceAll('_', ' ')
}

/** The parameters as the platform takes them, for a draft's strategy. */
export function useReadParams(draft: StrategyDraft, besides: readonly StrategyFacts[] = none): ReadParams {
  const chosen = [...(useQuery(strategiesQuery).data ?? []), ...besides].find(({ name }) => name === draft.name)
  return readParams(chosen ? paramsOf(chosen.params_schema) : [], draft.typed)
}
