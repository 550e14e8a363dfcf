import { useKeyMap } from '../../shared/keys/key-store'
import { strokeWords } from '../../shared/keys/keyboard'
import { factsOf, strokesFor } from '../../shared/keys/keymap'
import { Dialog } from '../../shared/ui/dialog'

/** What digits mean depends on what is reviewed. */
export type DigitsMean = readonly (readonly [keys: string, words: string])[]

/** The keys of reviewing as this person has them. */
export function KeysDialog({ digits, onClose }: { digits: DigitsMean; onClose: () => void }) {
  const map = useKeyMap()
  const actions = Object.entries(factsOf('review')).map(
    ([action, { words }]) => [strokesFor('review', action, map).map(strokeWords).join('  '), words] as const,
  )
  return (
    <Dialog open onClose={onClose} title="Keys">
      <dl className="review-keys">
        {[...digits, ...actions].map(([keys, words]) => (
          <div key={words} className="row">
            <dt>{keys === '' ? <span className="quiet">none</span> : keys.split('  ').map((key) => <kbd key={key}>{key}</kbd>)}</dt>
            <dd>{words}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
