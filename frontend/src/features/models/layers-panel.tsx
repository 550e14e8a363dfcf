import { useQuery } from '@tanstack/react-query'

import type { ModelVersionDetail } from '../../shared/api/types'
import { plural } from '../../shared/format/numbers'
import { Failure, Skeleton } from '../../shared/ui/messages'
import { shapeWords } from './figures'
import { layersQuery } from './queries'

/** The weights of each layer that has some, as pictures. */
export default function LayersPanel({ detail }: { detail: ModelVersionDetail }) {
  const layers = useQuery(layersQuery(detail.model, String(detail.version)))
  if (layers.isPending) {
    return (
      <div className="panel-body">
        <Skeleton height={160} />
      </div>
    )
  }
  if (!layers.data) return <Failure what="The layers could not be loaded" error={layers.error} retry={() => void layers.refetch()} />
  const seen = layers.data.filter(({ picture }) => picture !== null)
  return (
    <div className="panel-body stack">
      <p className="quiet">
        {plural(layers.data.length, 'layer')}, of which {seen.length} have weights:{' '}
        {plural(
          layers.data.reduce((sum, { parameters }) => sum + parameters, 0),
          'number',
        )}{' '}
        in all.
      </p>
      <ul className="layers">
        {seen.map((layer) => (
          <li key={layer.name}>
            <img src={layer.picture ?? ''} alt={`Weights of ${layer.name}`} loading="lazy" className="pixels" />
            <p className="small cut" title={layer.name}>
              {layer.name}
            </p>
            <p className="quiet small">
              {layer.operator} · {layer.weights.map(({ shape }) => shapeWords(shape)).join(', ')}
            </p>
          </li>
        ))}
      </ul>
    </div>
  )
}
