import type { Run } from '../../shared/api/types'
import { count, plural } from '../../shared/format/numbers'

/** What a training read, and how much of it was erased since. */
export function readWords({ read, lost }: Pick<Run, 'read' | 'lost'>): string {
  if (read === null) return 'not known'
  const words = `${plural(read.train.samples, 'sample')} to train, ${count(read.validation.samples)} to validate`
  const gone = lost === null ? 0 : lost.train + lost.validation
  return gone === 0 ? words : `${words}; ${count(gone)} of them erased since`
}

/** How the inputs of a clone differ from those of its origin: `train 3 gone, 1 changed`. Null where they don't, or that is not known. */
export function changedWords(changed: Run['inputs_changed']): string | null {
  if (changed === null) return null
  const parts = (['train', 'validation'] as const).flatMap((split) => {
    const counts = (['gone', 'changed', 'added'] as const).filter((word) => changed[split][word] > 0).map((word) => `${count(changed[split][word])} ${word}`)
    return counts.length === 0 ? [] : [`${split} ${counts.join(', ')}`]
  })
  if (parts.length === 0 && changed.same === false) return 'as many, but not the same'
  return parts.length === 0 ? null : parts.join('; ')
}

/** What a clone of a run on the same version would lack; null where nothing. */
export function lostWords({ id, dataset, version, lost }: Pick<Run, 'id' | 'dataset' | 'version' | 'lost'>): string | null {
  if (lost === null) return `It is not known what run ${id} read, and samples of ${dataset} v${version} were erased: a clone may get other weights.`
  if (lost.train + lost.validation === 0) return null
  return `Of what run ${id} read, ${count(lost.train)} to train and ${count(lost.validation)} to validate were erased since: a clone gets other weights.`
}
