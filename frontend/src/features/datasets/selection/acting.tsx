import { useMay } from '../../../shared/access/use-may'
import type { Commit, Dataset } from '../../../shared/api/types'
import type { ActionOf } from '../../../shared/keys/keymap'
import { later } from '../../../shared/ui/later'
import { taskTypeOf } from '../../../tasktypes'
import type { Target } from '../../../shared/edits/edits'

const RelabelDialog = later(async () => (await import('../../../shared/edits/relabel-dialog')).RelabelDialog)
const MoveDialog = later(async () => (await import('./move-dialog')).MoveDialog)
const TagsDialog = later(async () => (await import('./tags-dialog')).TagsDialog)
const SelectionQueueDialog = later(async () => (await import('./queue-dialog')).SelectionQueueDialog)
const RemoveDialog = later(async () => (await import('./remove-dialog')).RemoveDialog)

/** What can be done with samples; each has its key on the page of a dataset's items. */
export type Act = Extract<ActionOf<'items'>, 'relabel' | 'move' | 'tag' | 'queue' | 'remove'>

export interface Offer {
  act: Act
  words: string
}

/** What whoever is signed in may do with samples of the dataset. */
export function useOffers(dataset: Dataset): Offer[] {
  const mayReview = useMay('review', dataset.project)
  const mayBuild = useMay('build', dataset.project)
  const shapes = taskTypeOf(dataset.task).answer === 'shapes'
  if (dataset.archived !== null) return []
  const offer = (act: Act, words: string): Offer => ({ act, words })
  return [
    ...(mayBuild ? [offer('relabel', shapes ? 'Clear labels…' : 'Relabel…'), offer('move', 'Move…')] : []),
    ...(mayReview ? [offer('tag', 'Tag…'), offer('queue', 'Queue…')] : []),
    ...(mayBuild ? [offer('remove', 'Remove…')] : []),
  ]
}

/** What is being done: an act, and the class that a key stands for. */
export interface Doing {
  act: Act
  preset?: string
}

interface ActDialogProps {
  doing: Doing | null
  dataset: Dataset
  target: Target
  /** Tags of the one sample that it is for. */
  tags?: readonly string[]
  onClose: () => void
  onDone: (act: Act, words: string, commit: Commit, final?: boolean) => void
}

/** The dialog of an act, while it is open. */
export function ActDialog({ doing, dataset, target, tags, onClose, onDone }: ActDialogProps) {
  if (doing === null) return null
  const change = { dataset, target, onClose, onDone: (words: string, commit: Commit, final?: boolean) => onDone(doing.act, words, commit, final) }
  return (
    <>
      {doing.act === 'relabel' && <RelabelDialog {...change} preset={doing.preset ?? null} />}
      {doing.act === 'move' && <MoveDialog {...change} />}
      {doing.act === 'tag' && <TagsDialog {...change} {...(tags ? { tags } : {})} />}
      {doing.act === 'queue' && <SelectionQueueDialog {...change} />}
      {doing.act === 'remove' && <RemoveDialog {...change} />}
    </>
  )
}
