import type { Dataset, Model, Project, Queue } from '../../shared/api/types'

/** Documents as the server answers them, with what a test cares about. */

const created = '2026-11-01T12:00:00Z'

export function aDataset(part: Partial<Dataset> = {}): Dataset {
  const { classes = ['cat', 'dog'] } = part
  return {
    id: 1,
    name: 'pets',
    project: 'default',
    task: 'classification',
    classes,
    multi_label: false,
    label_kind: 'classification',
    split_rule: null,
    trainable: true,
    schema_version: 1,
    description: '',
    head: 1,
    origin: null,
    counts: { samples: 4, labelled: 4, by_split: { train: 4 }, by_class: {} },
    archived: null,
    created,
    ...part,
  }
}

export function aModel(part: Partial<Model> = {}): Model {
  return { id: 1, name: 'pets-cnn', project: 'default', task: 'classification', classes: ['cat', 'dog'], description: '', gates: [], archived: null, created, latest: 1, aliases: [], ...part }
}

export function aProject(name: string, part: Partial<Project> = {}): Project {
  return { id: name.length, name, description: '', created, members: 0, ...part }
}

export function aSchema(names: readonly string[]): Queue['schema'] {
  const classes = names.map((name, place) => ({ name, key: String(place + 1), colour: '#0072B2', dash: 0, guideline: '', examples: [], archived: false }))
  return { version: 1, multi_label: false, guideline: '', classes }
}
