/** What each kind of job does, in words; a kind that is new here shows its own name. */
const words: Record<string, string> = {
  adopt_encoder: 'check of an encoder',
  fetch_encoder: 'fetch of an encoder',
  backtest: 'back-test',
  commit: 'commit of images',
  embed: 'embeddings',
  erase: 'erasure',
  export: 'export of a dataset',
  export_dataset: 'export of a dataset',
  import: 'import',
  import_archive: 'reading of an archive',
  map: 'map of a dataset',
  mine: 'mining',
  prepare_training: 'preparation of a training',
  train: 'training',
}

export function kindWords(kind: string): string {
  return words[kind] ?? kind.replaceAll('_', ' ')
}

const singular: Record<string, string> = { datasets: 'dataset', runs: 'run', models: 'model', backtests: 'back-test', sweeps: 'sweep', pipelines: 'pipeline' }

/** What a page below /app is about: `/runs/3` -> `run 3`. */
export function placeWords(href: string): string {
  const [first = '', ...rest] = href.replace(/\?.*$/, '').split('/').filter(Boolean)
  return [singular[first] ?? first, ...rest].join(' ')
}
