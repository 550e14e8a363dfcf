import { strokeWords } from '../shared/keys/keyboard'
import { type KeyMap, strokesFor } from '../shared/keys/keymap'
import type { Page } from './pages'

/** The letters that may come now. */
export function GoToHint({ pages, map }: { pages: readonly Page[]; map: KeyMap }) {
  return (
    <div className="go-to" role="status" aria-label="Go to a page">
      {pages.map(({ action, name }) => {
        const [stroke] = strokesFor('goto', action, map)
        return (
          stroke !== undefined && (
            <span key={action}>
              <kbd>{strokeWords(stroke)}</kbd> {name}
            </span>
          )
        )
      })}
    </div>
  )
}
