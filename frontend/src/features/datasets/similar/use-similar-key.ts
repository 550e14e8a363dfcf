import type { Sample } from '../../../shared/api/types'
import { useKeyMap } from '../../../shared/keys/key-store'
import { actionFor } from '../../../shared/keys/keymap'
import { type DigitsMean, usePresentKeys } from '../../../shared/keys/present'
import { useFindSimilar } from './use-find-similar'

/** The keys of the grid that nobody can change; the list of keys tells of them. */
const fixed: DigitsMean = [
  ['←  →  ↑  ↓', 'Another tile; with Shift, select up to it'],
  ['Space', 'Select this sample'],
  ['Enter', 'Open this sample'],
]

/** Answers whether a key asked for what is like a sample of the grid. */
export function useSimilarKey(dataset: string): (event: KeyboardEvent, sample: Sample | undefined) => boolean {
  const find = useFindSimilar(dataset)
  const map = useKeyMap()
  usePresentKeys('samples', fixed)
  return (event, sample) => {
    if (!sample || event.repeat || actionFor(event, 'samples', map) !== 'similar') return false
    find(sample.key)
    return true
  }
}
