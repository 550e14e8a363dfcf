import { FolderInput, ListTodo, Tag, Tags, Trash2 } from 'lucide-react'

import { KeyCap } from '../../../shared/keys/key-cap'
import type { Act, Offer } from './acting'

const icons = { relabel: Tag, move: FolderInput, tag: Tags, queue: ListTodo, remove: Trash2 }

/** Buttons for what can be done. */
export function ActButtons({ offers, onAct }: { offers: readonly Offer[]; onAct: (act: Act) => void }) {
  return offers.map(({ act, words }) => {
    const Icon = icons[act]
    return (
      <button key={act} type="button" className="button little" onClick={() => onAct(act)}>
        <Icon size={12} aria-hidden />
        {words}
        <KeyCap scope="items" action={act} />
      </button>
    )
  })
}
