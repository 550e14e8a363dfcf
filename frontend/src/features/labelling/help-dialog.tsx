import { setSingleKeys, useSingleKeys, type SingleKeys } from '../../shared/keys/preference'
import { Dialog } from '../../shared/ui/dialog'

const keyMap: [string[], string][] = [
  [['1–9', '0'], 'The class with that key, and the next image'],
  [['⇧1–0'], 'Classes 11 to 20'],
  [['A', 'Enter'], 'Accept the model’s suggestion'],
  [['S'], 'Skip this image'],
  [['⌫', 'Ctrl Z'], 'Undo the last answer, as often as you like'],
  [['←', '→'], 'Look back and forward; a class then corrects'],
  [['Z'], 'Zoom'],
  [['B', '⇧B'], 'Brighter, darker'],
  [['C', '⇧C'], 'More, less contrast'],
  [['I'], 'Show or hide “Why this sample?”'],
  [['?'], 'These keys'],
  [['Ctrl K'], 'Go to any page'],
]

const choices: [SingleKeys, string][] = [
  ['all', 'Letters and digits act'],
  ['digits', 'Only digits act'],
  ['none', 'Neither acts (Enter, ⌫ and arrows still do)'],
]

export function HelpDialog({ open, onClose }: { open: boolean; onClose: () => void }) {
  const keys = useSingleKeys()
  return (
    <Dialog open={open} onClose={onClose} title="Keys">
      <dl className="key-map">
        {keyMap.map(([names, meaning]) => (
          <div key={meaning} className="row">
            <dt className="row">
              {names.map((name) => (
                <kbd key={name}>{name}</kbd>
              ))}
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <fieldset className="single-keys">
        <legend>Single keys</legend>
        {choices.map(([choice, words]) => (
          <label key={choice} className="row">
            <input type="radio" name="single-keys" checked={keys === choice} onChange={() => setSingleKeys(choice)} />
            {words}
          </label>
        ))}
      </fieldset>
    </Dialog>
  )
}
