import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'

import type { EmbeddingMap } from '../../../shared/api/types'
import { labelText } from '../../../shared/format/labels'
import { useSettled } from '../../../shared/live/use-settled'
import { selectedQuery } from './queries'
import type { MapPoint, MapSize } from './view'

interface PointedProps {
  map: EmbeddingMap
  sample: number
  /** Of its point on the map. */
  place: MapPoint
  size: MapSize
  /** Whether it is said aloud: it was reached by key. */
  spoken: boolean
  /** Whether a finger tapped it: then its picture can be tapped too. */
  tapped: boolean
}

const card = { width: 136, height: 168 }
/** Of a card whose name is a link, high enough for a finger. */
const tappable = { width: 136, height: 184 }
const gap = 12
/** ms that the pointer rests before a picture is asked for. */
const rest = 80

/** The picture of the sample that is pointed at, beside its point. */
export function Pointed({ map, sample, place: [x, y], size, spoken, tapped }: PointedProps) {
  const { width, height } = tapped ? tappable : card
  const wanted = useSettled(sample, rest)
  const found = useQuery(selectedQuery(map, [wanted])).data?.[0]
  const left = x + gap + width > size.width ? Math.max(0, x - gap - width) : x + gap
  const top = Math.min(Math.max(0, y - height / 2), Math.max(0, size.height - height))
  return (
    <>
      <span className="map-ring" style={{ left: x, top: y }} aria-hidden />
      {found?.id === sample && (
        <figure className="map-card" style={{ left, top, width, height }} role={spoken ? 'status' : undefined}>
          <img src={found.thumb} alt="" width={width} height={120} className={Math.max(found.width ?? 0, found.height ?? 0) <= 120 ? 'pixels' : ''} />
          <figcaption>
            {tapped ? (
              <Link to="/datasets/$id" params={{ id: map.dataset }} search={{ v: map.version, ids: String(sample) }} className="cut mono">
                {found.key}
              </Link>
            ) : (
              <span className="cut mono">{found.key}</span>
            )}
            <span className="cut small">{labelText(found.label) ?? 'not labelled'}</span>
          </figcaption>
        </figure>
      )}
    </>
  )
}
