import { Link } from '@tanstack/react-router'

import { modelsList, modelVersionsList, slicesList } from '../../../shared/api/lists'
import type { Model } from '../../../shared/api/types'
import { useList } from '../../../shared/lists/pages'
import { PickField } from '../../../shared/picking/pick-field'
import { DatasetField } from '../../../shared/training/dataset-field'
import { usePicked } from '../../../shared/project-choice/picked'
import { VersionField } from '../../../shared/training/version-field'
import { withoutModel } from '../fitting'
import { type MiningDraft, noModel } from './draft'
import { modelFits, type There } from './not-there'

interface SourceFieldsProps {
  draft: MiningDraft
  there: There
  change: (part: Partial<MiningDraft>) => void
  chooseModel: (model: string, version: string) => void
}

const all = [{ value: '', words: 'all unlabelled samples' }]
const none = [{ value: noModel, words: `none yet: ${withoutModel}` }]

/** Whose pool, which part of it, and the model that looks at it. */
export function SourceFields({ draft, there: { dataset, model }, change, chooseModel }: SourceFieldsProps) {
  const picked = usePicked()
  const models = (q: string) => modelsList(picked, { q, ...(dataset ? { dataset: dataset.name } : {}) })
  const fitting = useList(models('')).rows?.filter((each) => modelFits(dataset, each)).length
  return (
    <div className="form-columns">
      <DatasetField name="dataset" label="Dataset" required value={draft.dataset} onChange={(name) => change({ dataset: name, version: 'head', slice: '', model: '', modelVersion: '' })} />
      <VersionField dataset={draft.dataset} value={draft.version} onChange={(version) => change({ version })} />
      <PickField
        name="filter"
        label="Part of the pool"
        first={all}
        source={(q) => slicesList(draft.dataset, { q })}
        choices={({ name }) => [{ value: name, words: `slice ${name}` }]}
        disabled={draft.dataset === ''}
        value={draft.slice}
        shown={draft.slice === '' ? '' : `slice ${draft.slice}`}
        onChange={(slice) => change({ slice })}
      />
      <PickField
        name="model"
        label="Model"
        hint={dataset ? <ModelHint chosen={draft.model} fitting={fitting} /> : 'Choose the dataset first.'}
        placeholder={dataset ? 'choose a trained model with these classes' : 'choose a trained model'}
        required
        first={none}
        source={models}
        choices={(each) => (modelFits(dataset, each) ? [{ value: each.name, row: each }] : [])}
        value={draft.model}
        onChange={(name, chosen) => chooseModel(name, firstVersion(chosen))}
      />
      {draft.model !== noModel && (
        <PickField
          name="modelVersion"
          label="Version of the model"
          required
          first={model ? model.aliases.map(({ name, version }) => ({ value: name, words: `${name} (v${version})` })) : []}
          source={(q) => modelVersionsList(draft.model, { q })}
          choices={({ version }) => [{ value: String(version), words: `v${version}` }]}
          disabled={draft.model === ''}
          value={draft.modelVersion}
          shown={/^\d+$/.test(draft.modelVersion) ? `v${draft.modelVersion}` : draft.modelVersion}
          onChange={(modelVersion) => change({ modelVersion })}
        />
      )}
    </div>
  )
}

function ModelHint({ chosen, fitting }: { chosen: string; fitting: number | undefined }) {
  if (chosen === noModel) return 'For the first labels: EfficientNet-Lite0, trained on ImageNet, compares the images.'
  if (fitting !== 0) return 'Models with the same classes as the dataset.'
  return (
    <>
      No trained model has these classes: mine the first labels without one, <Link to="/models">train one</Link>, or let <Link to="/pipelines/new">a pipeline</Link> do it.
    </>
  )
}

function firstVersion(model: Model | undefined): string {
  return model?.aliases.find(({ name }) => name === 'production')?.name ?? String(model?.latest ?? '')
}
