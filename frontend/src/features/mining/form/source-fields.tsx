import { useQuery } from '@tanstack/react-query'

import { datasetsIn, modelsIn } from '../../../shared/api/queries'
import type { Model } from '../../../shared/api/types'
import { learnsTheSame } from '../../../shared/classes/learns-the-same'
import { DatasetOptions } from '../../../shared/training/dataset-options'
import { usePicked } from '../../../shared/project-choice/picked'
import { SelectField, TextField } from '../../../shared/ui/fields'
import { FirstOption } from '../../../shared/ui/first-option'
import type { MiningDraft } from './draft'

interface SourceFieldsProps {
  draft: MiningDraft
  change: (part: Partial<MiningDraft>) => void
  slices: readonly string[]
}

/** Whose pool, which part of it, and the model that looks at it. */
export function SourceFields({ draft, change, slices }: SourceFieldsProps) {
  const datasets = useQuery(datasetsIn(usePicked())).data
  const dataset = datasets?.find(({ name }) => name === draft.dataset)
  const models = useQuery(modelsIn(usePicked())).data?.filter((model) => model.latest !== null && (!dataset || learnsTheSame(model, dataset)))
  const model = models?.find(({ name }) => name === draft.model)
  const chooseModel = (name: string) => change({ model: name, modelVersion: firstVersion(models?.find((each) => each.name === name)) })
  return (
    <div className="form-columns">
      <SelectField name="dataset" label="Dataset" required value={draft.dataset} onChange={(dataset) => change({ dataset, slice: '', model: '', modelVersion: '' })}>
        <FirstOption noun="dataset" among={datasets} />
        <DatasetOptions datasets={datasets} />
      </SelectField>
      <TextField name="version" label="Version" hint="A number, a tag, an alias, or head." required value={draft.version} onChange={(version) => change({ version })} />
      <SelectField name="filter" label="Part of the pool" value={draft.slice} onChange={(slice) => change({ slice })}>
        <option value="">all that is unlabelled</option>
        {slices.map((name) => (
          <option key={name} value={name}>
            slice {name}
          </option>
        ))}
      </SelectField>
      <SelectField
        name="model"
        label="Model"
        hint={dataset ? 'Models with the same classes as the dataset.' : 'Choose the dataset first.'}
        required
        value={draft.model}
        onChange={chooseModel}
        options={models?.map(({ name }) => name)}
      >
        <FirstOption noun={dataset ? 'trained model with these classes' : 'trained model'} among={models} />
      </SelectField>
      <SelectField label="Version of the model" required value={draft.modelVersion} onChange={(modelVersion) => change({ modelVersion })}>
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
      </SelectField>
    </div>
  )
}

function firstVersion(model: Model | undefined): string {
  return model?.aliases.find(({ name }) => name === 'production')?.name ?? String(model?.latest ?? '')
}

/** The newest first. */
function numbers(model: Model | undefined): number[] {
  const latest = model?.latest ?? 0
  return Array.from({ length: latest }, (_, index) => latest - index)
}
