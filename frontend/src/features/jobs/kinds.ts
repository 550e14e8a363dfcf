/** What each kind of job does, in words; a kind that is new here shows its own name. */
const words: Record<string, string> = {
  backtest: 'back-test',
  commit: 'commit of images',
  erase: 'erasure',
  export: 'export of a dataset',
  export_dataset: 'export of a dataset',
  import: 'import',
  import_archive: 'reading of an archive',
  map: 'map of a dataset',
  mine: 'mining',
  train: 'training',
}

export function kindWords(kind: string): string {
  return words[kind] ?? kind.replaceAll('_', ' ')
}
