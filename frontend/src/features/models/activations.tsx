import type { ImageAnswer } from '../../shared/api/types'
import { shapeWords } from './figures'

/** What each layer made of an image. */
export function Activations({ activations }: { activations: NonNullable<ImageAnswer['activations']> }) {
  return (
    <ul className="layers">
      {activations.map((one) => (
        <li key={one.layer}>
          <img src={one.png} alt={`Activations of ${one.layer}`} loading="lazy" className="pixels" />
          <p className="small cut" title={one.layer}>
            {one.layer}
          </p>
          <p className="quiet small">
            {one.operator} · {shapeWords(one.shape)}
          </p>
        </li>
      ))}
    </ul>
  )
}
