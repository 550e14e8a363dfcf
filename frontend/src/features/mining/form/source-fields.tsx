import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'

import { datasetsIn, datasetsQuery, modelsIn, modelsQuery } from '../../../shared/api/queries'
import type { Model } from '../../../shared/api/types'
import { DatasetOptions } from '../../../shared/training/dataset-options'
import { usePicked } from '../../../shared/project-choice/picked'
import { SelectField, TextField } from '../../../shared/ui/fields'
import { FirstOption } from '../../../shared/ui/first-option'
import { withoutModel } from '../fitting'
import { type MiningDraft, noModel } from './draft'
import { modelsFor } from './not-there'

interface SourceFieldsProps {
  draft: MiningDraft
  change: (part: Partial<MiningDraft>) => void
  chooseModel: (model: string, version: string) => void
  slices: readonly string[]
}

/** Whose pool, which part of it, and the model that looks at it. */
export function SourceFields({ draft, change, chooseModel, slices }: SourceFieldsProps) {
  const datasets = useQuery(datasetsIn(usePicked())).data
  // What a link began the form with may be of another project than the one that was picked.
  const dataset = useQuery(datasetsQuery).data?.find(({ name }) => name === draft.dataset)
  const models = modelsFor(dataset, useQuery(modelsIn(usePicked())).data)
  const model = modelsFor(dataset, useQuery(modelsQuery).data)?.find(({ name }) => name === draft.model)
  const versions = versionsOf(model)
  return (
    <div className="form-columns">
      <SelectField name="dataset" label="Dataset" required value={draft.dataset} onChange={(dataset) => change({ dataset, slice: '', model: '', modelVersion: '' })}>
        <FirstOption noun="dataset" among={datasets} />
        <DatasetOptions datasets={datasets} />
        <Kept value={draft.dataset} among={datasets?.map(({ name }) => name)} />
      </SelectField>
      <TextField name="version" label="Version" hint="A number, a tag, an alias, or head." required value={draft.version} onChange={(version) => change({ version })} />
      <SelectField name="filter" label="Part of the pool" value={draft.slice} onChange={(slice) => change({ slice })}>
        <option value="">all unlabelled samples</option>
        {slices.map((name) => (
          <option key={name} value={name}>
            slice {name}
          </option>
        ))}
        <Kept value={draft.slice} among={slices} />
      </SelectField>
      <SelectField
        name="model"
        label="Model"
        hint={dataset ? <ModelHint chosen={draft.model} fitting={models?.length} /> : 'Choose the dataset first.'}
        required
        value={draft.model}
        onChange={(name) => chooseModel(name, firstVersion(models?.find((each) => each.name === name)))}
        options={models?.map(({ name }) => name)}
      >
        <FirstOption noun={dataset ? 'trained model with these classes' : 'trained model'} among={models} />
        <option value={noModel}>none yet: {withoutModel}</option>
        <Kept value={draft.model === noModel ? '' : draft.model} among={models?.map(({ name }) => name)} />
      </SelectField>
      {draft.model !== noModel && (
        <SelectField name="modelVersion" label="Version of the model" required value={draft.modelVersion} onChange={(modelVersion) => change({ modelVersion })}>
          {!model && <option value="">–</option>}
          {versions.map(([value, words]) => (
            <option key={value} value={value}>
              {words}
            </option>
          ))}
          {model && <Kept value={draft.modelVersion} among={versions.map(([value]) => value)} />}
        </SelectField>
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

/** Its aliases, then its numbers, the newest first. */
function versionsOf(model: Model | undefined): (readonly [value: string, words: string])[] {
  const latest = model?.latest ?? 0
  return [
    ...(model?.aliases ?? []).map(({ name, version }) => [name, `${name} (v${version})`] as const),
    ...Array.from({ length: latest }, (_, index) => [String(latest - index), `v${latest - index}`] as const),
  ]
}

/** What is chosen stays in view where it is not among what may be chosen: the browser would show another in its place. */
function Kept({ value, among }: { value: string; among: readonly string[] | undefined }) {
  return among === undefined || value === '' || among.includes(value) ? null : <option value={value}>{value}</option>
}
