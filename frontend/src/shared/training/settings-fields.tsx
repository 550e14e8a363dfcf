import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'

import { faultOf } from '../api/errors'
import { architecturesQuery, autoQuery } from '../api/queries'
import { readConfig } from '../format/read-config'
import { ParamField } from '../strategies/param-field'
import { typedAs } from '../strategies/params'
import { Check, TextArea } from '../ui/fields'
import { Fault } from '../ui/form'
import { type Asked, useForecast } from './forecast'
import { recommendationQuery } from './queries'
import { type Config, grouped, readAs, said, saying, type Setting, settingsOf, textOf } from './settings'

export interface SettingsFieldsProps {
  asked: Asked
  /** JSON, as it is sent. */
  onChange: (config: string) => void
  /** The server's name of the config. */
  name?: string
  /** What takes these settings is not a training of the whole dataset, which could be forecast. */
  withoutForecast?: boolean
}

/** The settings of a training: a field for each that its architecture declares, or the same as JSON. */
export function SettingsFields({ asked, onChange, name = 'config', withoutForecast = false }: SettingsFieldsProps) {
  const [asJson, setAsJson] = useState(false)
  const read = readConfig(asked.config)
  const config = read.config ?? {}
  const { settings, defaults, refused } = useSettings(asked, withoutForecast)
  const isJson = asJson || read.fault !== null
  const placed = isJson ? [] : settings.map(({ part, name: field }) => `config.${part}.${field}`)
  const field = (setting: Setting) => (
    <SettingField
      key={`${setting.part}.${setting.name}`}
      name={`${name}.${setting.part}.${setting.name}`}
      setting={setting}
      value={said(config, setting)}
      fallback={typedAs(defaults(setting))}
      fault={faultOf(refused, `config.${setting.part}.${setting.name}`)}
      onChange={(value) => onChange(textOf(saying(config, setting, value)))}
    />
  )
  return (
    <div className="stack">
      {isJson ? (
        <TextArea
          name={name}
          label="Settings"
          hint={'JSON with params, recipe and export, such as {"recipe": {"steps": 500}}; what is left out has its default.'}
          className="mono"
          rows={8}
          value={asked.config}
          onChange={onChange}
        />
      ) : (
        <>
          <div className="form-columns">{settings.filter(({ advanced }) => !advanced).map(field)}</div>
          <details className="fold">
            <summary>More settings</summary>
            <div className="stack">
              {grouped(settings.filter(({ advanced }) => advanced)).map(([group, members]) => (
                <fieldset key={group} className="form-group">
                  <legend>{group}</legend>
                  <div className="form-columns">{members.map(field)}</div>
                </fieldset>
              ))}
            </div>
          </details>
        </>
      )}
      <Fault>{faultOf(refused, 'config', ['config', ...placed])}</Fault>
      <Check checked={isJson} disabled={read.fault !== null} onChange={setAsJson}>
        Edit as JSON
      </Check>
    </div>
  )
}

/** What may be set, what counts where nothing is, and why the server would refuse what is. */
function useSettings(asked: Asked, withoutForecast: boolean) {
  const architectures = useQuery(architecturesQuery).data ?? []
  const auto = useQuery(autoQuery).data
  const { data } = useQuery({ ...recommendationQuery(asked.dataset), enabled: asked.dataset !== '' })
  const recommended = withoutForecast ? data : data?.learner
  const { data: forecast, error, isCurrent } = useForecast(withoutForecast ? { ...asked, dataset: '' } : asked)
  const learner = asked.architecture || recommended?.architecture
  const chosen = [...architectures, ...(auto ? [auto] : [])].find(({ name }) => name === learner)
  const suits: Config = asked.architecture === '' ? (recommended?.config ?? {}) : {}
  // All have one recipe: whatever is recommended, too, once that is known.
  const settings = settingsOf(chosen ?? { params_schema: {}, recipe_schema: architectures[0]?.recipe_schema ?? {} })
  const known: readonly Config[] = forecast !== undefined && forecast.architecture === learner ? [{ params: forecast.params, recipe: forecast.recipe }] : [suits, { recipe: chosen?.recipe ?? {} }]
  const defaults = (setting: Setting): unknown => known.map((config) => said(config, setting)).find((value) => value !== undefined) ?? setting.fallback
  return { settings, defaults, refused: isCurrent ? error : null }
}

interface SettingFieldProps {
  name: string
  setting: Setting
  value: unknown
  /** What counts where nothing is typed. */
  fallback: string
  fault: string | null
  onChange: (value: unknown) => void
}

function SettingField({ name, setting, value, fallback, fault, onChange }: SettingFieldProps) {
  const [typed, setTyped] = useState('')
  // What is typed stays as it is typed, `1e-` too, as long as it is what the config says.
  const text = JSON.stringify(readAs(setting, typed)) === JSON.stringify(value) ? typed : typedAs(value)
  const type = (next: string) => {
    setTyped(next)
    onChange(readAs(setting, next))
  }
  return <ParamField name={name} param={setting} text={text} onType={type} fallback={fallback} fault={fault} />
}
