import type { QueueSchema } from '../../../shared/api/types'
import { count } from '../../../shared/format/numbers'
import { MarkSwatch } from '../../../shared/ui/swatch'
import { markOf } from '../queue-kind'
import type { Cluster } from './grid-session'

interface ClusterListProps {
  clusters: readonly Cluster[]
  current: string | null | undefined
  schema: QueueSchema
  onShow: (name: string | null) => void
}

/** What the model says is where: each class with what is left of it. */
export function ClusterList({ clusters, current, schema, onShow }: ClusterListProps) {
  return (
    <section aria-labelledby="clusters" className="clusters">
      <h2 id="clusters">Suggested</h2>
      <ul className="classes">
        {clusters.map(({ name, todo }) => (
          <li key={name === null ? 'left out' : `class ${name}`}>
            <button type="button" className="class" aria-current={name === current ? 'true' : undefined} onClick={() => onShow(name)}>
              {name !== null && name !== '' && <MarkSwatch {...markOf(schema, name)} />}
              <span className="cut" title={clusterWords(name)}>
                {clusterWords(name)}
              </span>
              <span className="grow" />
              <span className="class-share">{count(todo)}</span>
            </button>
          </li>
        ))}
      </ul>
    </section>
  )
}

export function clusterWords(name: string | null): string {
  if (name === null) return 'Left out by you'
  return name === '' ? 'No suggestion shown' : name
}
