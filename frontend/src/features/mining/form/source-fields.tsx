import { useQuery } from '@tanstack/react-query'

import { datasetsQuery, modelsQuery } from '../../../shared/api/queries'
import type { Dataset, Model } from '../../../shared/api/types'
import { DatasetOptions } from '../../../shared/training/dataset-options'
import { FirstOption } from '../../../shared/ui/first-option'
import { Field, faultOf } from '../../../shared/ui/form'
import type { MiningDraft } from './draft'

interface SourceFieldsProps {
  draft: MiningDraft
  change: (part: Partial<MiningDraft>) => void
  slices: readonly string[]
  error: unknown
}

/** Whose pool, which part of it, and the model that looks at it. */
export function SourceFields({ draft, change, slices, error }: SourceFieldsProps) {
  const datasets = useQuery(datasetsQuery).data
  const dataset = datasets?.find(({ name }) => name === draft.dataset)
  const models = useQuery(modelsQuery).data?.filter((model) => model.latest !== null && (!dataset || sameClasses(model, dataset)))
  const model = models?.find(({ name }) => name === draft.model)
  const chooseModel = (name: string) => change({ model: name, modelVersion: firstVersion(models?.find((each) => each.name === name)) })
  return (
    <div className="form-columns">
      <Field label="Dataset" fault={faultOf(error, 'dataset')}>
        {(joined) => (
          <select {...joined} className="field" required value={draft.dataset} onChange={({ target }) => change({ dataset: target.value, slice: '', model: '', modelVersion: '' })}>
            <FirstOption noun="dataset" among={datasets} />
            <DatasetOptions datasets={datasets} />
          </select>
        )}
      </Field>
      <Field label="Version" hint="A number, a tag, an alias, or head." fault={faultOf(error, 'version')}>
        {(joined) => <input {...joined} className="field" required value={draft.version} onChange={({ target }) => change({ version: target.value })} />}
      </Field>
      <Field label="Part of the pool" fault={faultOf(error, 'filter')}>
        {(joined) => (
          <select {...joined} className="field" value={draft.slice} onChange={({ target }) => change({ slice: target.value })}>
            <option value="">all that is unlabelled</option>
            {slices.map((name) => (
              <option key={name} value={name}>
                slice {name}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Model" hint={dataset ? 'Those with the classes of the dataset.' : 'Choose the dataset first.'} fault={faultOf(error, 'model')}>
        {(joined) => (
          <select {...joined} className="field" required value={draft.model} onChange={({ target }) => chooseModel(target.value)}>
            <FirstOption noun={dataset ? 'trained model with these classes' : 'trained model'} among={models} />
            {models?.map(({ name }) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        )}
      </Field>
      <Field label="Version of the model">
        {(joined) => (
          <select {...joined} className="field" required value={draft.modelVersion} onChange={({ target }) => change({ modelVersion: target.value })}>
            {!model && <option value="">–</option>}
            {model?.aliases.map(({ name, version }) => (
              <option key={name} value={name}>
                {name} (v{version})
              </option>
            ))}
            {numbers(model).map((version) => (
              <option key={version} value={version}>
                v{version}
              </option>
            ))}
          </select>
        )}
      </Field>
    </div>
  )
}

function sameClasses(model: Model, dataset: Dataset): boolean {
  return model.classes.length === dataset.classes.length && model.classes.every((name) => dataset.classes.includes(name))
}

function firstVersion(model: Model | undefined): string {
  return model?.aliases.find(({ name }) => name === 'production')?.name ?? String(model?.latest ?? '')
}

/** The newest first. */
function numbers(model: Model | undefined): number[] {
  const latest = model?.latest ?? 0
  return Array.from({ length: latest }, (_, index) => latest - index)
}
