import type { ComparedVersions } from '../../shared/api/types'
import { plural } from '../../shared/format/numbers'
import { OutcomesLink } from './outcomes/errors-links'

interface CompareChangesProps {
  model: string
  found: ComparedVersions
  /** Labels have objects, or several classes: a sample may miss some and name others wrongly. */
  several: boolean
}

/** The samples that only one of the two told right: each list is that of the other's errors. */
export function CompareChanges({ model, found: { a, b, changed }, several }: CompareChangesProps) {
  if (changed === null) return null
  const { better, worse } = changed
  return (
    <section className="panel" aria-labelledby="compare-changes">
      <div className="panel-head">
        <h2 id="compare-changes" className="grow">
          What changed, sample by sample
        </h2>
      </div>
      <div className="panel-body stack">
        <Change words={`${plural(better, 'sample')} got better: v${b.version} is right where v${a.version} is wrong`} count={better} model={model} wrong={a.version} right={b.version} several={several} name="better" />
        <Change words={`${plural(worse, 'sample')} got worse: v${a.version} is right where v${b.version} is wrong`} count={worse} model={model} wrong={b.version} right={a.version} several={several} name="worse" />
      </div>
    </section>
  )
}

interface ChangeProps {
  words: string
  count: number
  model: string
  /** The version whose errors they are, and the one that has them right. */
  wrong: number
  right: number
  several: boolean
  name: string
}

function Change({ words, count, model, wrong, right, several, name }: ChangeProps) {
  const search = (kind: 'missed' | 'wrong') => ({ kind, right_in: String(right) })
  return (
    <p>
      {words}.{' '}
      {count > 0 && (
        <span className="errors-links">
          <OutcomesLink model={model} version={wrong} search={search('missed')} aria-label={several ? `missed by v${wrong}, what got ${name}` : `Show them: what got ${name}`}>
            {several ? `missed by v${wrong}` : 'Show them'}
          </OutcomesLink>
          {several && (
            <OutcomesLink model={model} version={wrong} search={search('wrong')} aria-label={`said wrongly by v${wrong}, what got ${name}`}>
              said wrongly by v{wrong}
            </OutcomesLink>
          )}
        </span>
      )}
    </p>
  )
}
