import '../classes/classes.css'

import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'

import { ClassSwatch } from '../classes/class-mark'
import { schemaQuery } from '../classes/queries'
import { plural } from '../format/numbers'
import { Check, SelectField, TextField } from '../ui/fields'
import { type ChangeProps, EditDialog } from './edit-dialog'
import type { Edit } from './edits'
import { ranked } from './ranked'

const ways = [['some', 'Add and remove classes'], ['exactly', 'Set exactly these classes'], ['none', 'Clear the labels']] as const
type Way = (typeof ways)[number][0]
type Mark = 'add' | 'remove'

/** From so many classes on they are searched. */
const many = 12

/** Where an image may have several classes: some are added to each label and others removed, or all labels become the same, or none. */
export function RelabelSeveral(change: ChangeProps) {
  const [way, setWay] = useState<Way>('some')
  const [marks, setMarks] = useState<Partial<Record<string, Mark>>>({})
  const [named, setNamed] = useState<readonly string[]>([])
  const [typed, setTyped] = useState('')
  const schema = useQuery(schemaQuery(change.dataset.name))
  const classes = (schema.data?.classes ?? []).filter(({ archived }) => !archived)
  const edit = useMemo(() => editOf(way, marks, named), [way, marks, named])
  const mark = (name: string, as: Mark) => setMarks(({ [name]: before, ...others }) => (before === as ? others : { ...others, [name]: as }))
  const tick = (name: string, ticked: boolean) => setNamed((before) => classes.map((each) => each.name).filter((each) => (each === name ? ticked : before.includes(each))))
  return (
    <EditDialog
      {...change}
      title={`Relabel ${plural(change.target.count, 'sample')}`}
      edit={edit}
      verb={way === 'none' ? 'Clear the labels of' : 'Relabel'}
      done={way === 'none' ? 'without a label' : `relabelled${edit === null ? '' : `: ${wordsOf(edit)}`}`}
    >
      <SelectField label="What changes" value={way} onChange={setWay} options={ways} />
      {way !== 'none' && (
        <fieldset className="several-classes">
          <legend className="visually-hidden">Classes</legend>
          {classes.length >= many && <TextField label="Find a class" type="search" value={typed} onChange={setTyped} />}
          <ul className="class-options">
            {ranked(classes, typed).map(({ name, colour, dash }) => (
              <li key={name} className="class-option">
                <ClassSwatch colour={colour} dash={dash} />
                {way === 'exactly' ? (
                  <Check checked={named.includes(name)} onChange={(ticked) => tick(name, ticked)}>
                    {name}
                  </Check>
                ) : (
                  <>
                    <span className="grow cut">{name}</span>
                    <MarkButton words="Add" name={name} pressed={marks[name] === 'add'} onPress={() => mark(name, 'add')} />
                    <MarkButton words="Remove" name={name} pressed={marks[name] === 'remove'} onPress={() => mark(name, 'remove')} />
                  </>
                )}
              </li>
            ))}
          </ul>
          {way === 'exactly' && named.length === 0 && <p className="quiet small">None ticked says that the images show none of the classes.</p>}
          {way === 'some' && <p className="quiet small">Other classes of a label stay. Removing labels nothing that has no label.</p>}
        </fieldset>
      )}
    </EditDialog>
  )
}

interface MarkButtonProps {
  words: string
  name: string
  pressed: boolean
  onPress: () => void
}

function MarkButton({ words, name, pressed, onPress }: MarkButtonProps) {
  return (
    <button type="button" className="button little" aria-pressed={pressed} aria-label={`${words} ${name}`} onClick={onPress}>
      {words}
    </button>
  )
}

function editOf(way: Way, marks: Partial<Record<string, Mark>>, named: readonly string[]): Edit | null {
  if (way === 'none') return { clear: true }
  if (way === 'exactly') return { label: { classes: [...named] } }
  const marked = (as: Mark) => Object.keys(marks).filter((name) => marks[name] === as)
  const edit = { add_classes: marked('add'), remove_classes: marked('remove') }
  return edit.add_classes.length + edit.remove_classes.length === 0 ? null : edit
}

/** `+ cat, − dog`, or the classes that all labels are. */
function wordsOf({ label, add_classes: added = [], remove_classes: removed = [] }: Edit): string {
  if (label && 'classes' in label) return label.classes.length === 0 ? 'none of the classes' : label.classes.join(', ')
  return [...added.map((name) => `+ ${name}`), ...removed.map((name) => `− ${name}`)].join(', ')
}
