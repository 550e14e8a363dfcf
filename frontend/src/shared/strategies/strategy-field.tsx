import type { StrategyFacts } from '../api/types'
import { SelectField } from '../ui/fields'
import { ParamField } from './param-field'
import { paramsOf, readParams, type ReadParams } from './params'

/** A strategy while it is chosen: its parameters are what was typed. */
export interface StrategyDraft {
  name: string
  typed: Record<string, string>
}

interface StrategyFieldProps {
  draft: StrategyDraft
  onChange: (draft: StrategyDraft) => void
  /** What may be chosen. */
  strategies: readonly StrategyFacts[]
}

export function StrategyField({ draft, onChange, strategies }: StrategyFieldProps) {
  const chosen = strategies.find(({ name }) => name === draft.name)
  return (
    <>
      <SelectField name="strategy" label="Strategy" hint={chosen?.summary ?? 'How the picks are chosen.'} value={draft.name} onChange={(name) => onChange({ name, typed: {} })}>
        {!chosen && <option value={draft.name}>{draft.name.replaceAll('_', ' ')}</option>}
        {strategies.map(({ name }) => (
          <option key={name} value={name}>
            {name.replaceAll('_', ' ')}
          </option>
        ))}
      </SelectField>
      {chosen && <StrategyParams strategy={chosen} typed={draft.typed} onChange={(typed) => onChange({ ...draft, typed })} />}
    </>
  )
}

interface StrategyParamsProps {
  strategy: StrategyFacts
  typed: Record<string, string>
  onChange: (typed: Record<string, string>) => void
  /** What the fields are called before the name of their parameter. */
  prefix?: string
}

/** A field for each parameter of a strategy; nothing of one that has none. */
export function StrategyParams({ strategy, typed, onChange, prefix = ALONE }: StrategyParamsProps) {
  const params = paramsOf(strategy.params_schema)
  if (params.length === 0) return null
  return (
    <fieldset className="form-group">
      <legend>Parameters of {strategy.name.replaceAll('_', ' ')}</legend>
      <div className="form-columns">
        {params.map((param) => (
          <ParamField key={param.name} name={prefix + param.name} param={param} text={typed[param.name] ?? ''} onType={(text) => onChange({ ...typed, [param.name]: text })} />
        ))}
      </div>
    </fieldset>
  )
}

const ALONE = 'strategy.params.'

/** The parameters as the platform takes them, for a draft's strategy; what is wrong with them, by the names of their fields. */
export function paramsRead(draft: StrategyDraft, strategies: readonly StrategyFacts[], prefix = ALONE): ReadParams {
  const chosen = strategies.find(({ name }) => name === draft.name)
  const { params, faults } = readParams(chosen ? paramsOf(chosen.params_schema) : [], draft.typed)
  return { params, faults: Object.fromEntries(Object.entries(faults).map(([name, fault]) => [prefix + name, fault])) }
}
