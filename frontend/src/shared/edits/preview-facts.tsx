import type { EditPreview } from '../api/types'
import { count, plural } from '../format/numbers'
import type { Edit } from './edits'

interface PreviewFactsProps {
  preview: EditPreview
  /** How many were selected: fewer may still be there. */
  selected: number
  edit: Edit
}

const mostClasses = 5

/** What an edit would do, in numbers. */
export function PreviewFacts({ preview, selected, edit }: PreviewFactsProps) {
  const { changed, samples, unchanged, moves, refused, held_out, leaks } = preview
  const gone = Math.max(0, selected - samples)
  return (
    <>
      <p>
        <strong>
          {count(changed)} of {plural(selected, 'sample')} {edit.remove ? 'will be removed' : 'will change'}.
        </strong>{' '}
        {changed > 0 && `Labels now: ${labelsNow(preview)}.`}
      </p>
      <ul className="edit-notes">
        {moves.map(({ from, to, samples: moved }) => (
          <li key={`${from} ${to}`}>
            {plural(moved, 'goes', 'go')} from {from} to {to}.
          </li>
        ))}
        {edit.clear && usedSplits(preview).map(([split, many]) => (
          <li key={split} className="warn">
            {plural(many, 'is', 'are')} in {split}: without a label, {many === 1 ? 'it is' : 'they are'} neither trained on nor evaluated.
          </li>
        ))}
        {unchanged > 0 && <li>{plural(unchanged, 'is', 'are')} so already.</li>}
        {gone > 0 && <li>{plural(gone, 'is', 'are')} no longer in the dataset.</li>}
        {refused.map(({ code, detail, samples: many, keys }) => (
          <li key={code} className="warn">
            {plural(many, 'stays', 'stay')} as {many === 1 ? 'it is' : 'they are'}, such as <span className="mono">{keys[0]}</span>: {detail}.
          </li>
        ))}
        {held_out > 0 && <li className="warn">{plural(held_out, 'stays', 'stay')} in pool: nearly the same as a test image.</li>}
        {leaks > 0 && (
          <li className="warn">{plural(leaks, 'sample')} of train and val show nearly the same as these: figures on test would flatter.</li>
        )}
      </ul>
    </>
  )
}

/** Of the samples that change those that are trained on or evaluated, and stay where they are. */
function usedSplits({ by_split: splits, moves }: EditPreview): [string, number][] {
  return Object.entries(splits).filter(([split, many]) => split !== 'pool' && many > 0 && moves.every(({ from }) => from !== split))
}

/** `cat 12, dog 3, none 4` */
function labelsNow({ by_class, unlabelled }: EditPreview): string {
  const classes = Object.entries(by_class).sort(([, one], [, other]) => other - one)
  const shown = classes.slice(0, mostClasses).map(([name, many]) => `${name} ${count(many)}`)
  const rest = classes.slice(mostClasses).reduce((sum, [, many]) => sum + many, 0)
  return [...shown, ...(rest > 0 ? [`other classes ${count(rest)}`] : []), ...(unlabelled > 0 ? [`none ${count(unlabelled)}`] : [])].join(', ')
}
