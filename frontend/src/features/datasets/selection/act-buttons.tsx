import { FolderInput, ListTodo, Tag, Tags, Trash2 } from 'lucide-react'

import { KeyCap } from '../../../shared/keys/key-cap'
import { toast } from '../../../shared/ui/toast-store'
import type { Act, Offer } from './acting'

const icons = { relabel: Tag, move: FolderInput, tag: Tags, queue: ListTodo, remove: Trash2 }

/** Buttons for what can be done; one that makes no sense here says why when it is pressed. */
export function ActButtons({ offers, onAct }: { offers: readonly Offer[]; onAct: (act: Act) => void }) {
  return offers.map(({ act, words, why }) => {
    const Icon = icons[act]
    return (
      <button key={act} type="button" className="button little" aria-disabled={why !== null} title={why ?? undefined} onClick={() => begin(why, () => onAct(act))}>
        <Icon size={12} aria-hidden />
        {words}
        <KeyCap scope="items" action={act} />
      </button>
    )
  })
}

/** Acts, or says why that makes no sense. */
export function begin(why: string | null, act: () => void): void {
  if (why === null) act()
  else toast('plain', why)
}
