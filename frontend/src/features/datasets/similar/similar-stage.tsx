import './similar.css'

import { Crop, Images } from 'lucide-react'
import { type ReactNode, useState } from 'react'

import type { Sample } from '../../../shared/api/types'
import { KeyCap } from '../../../shared/keys/key-cap'
import { useKeyMap } from '../../../shared/keys/key-store'
import { actionFor } from '../../../shared/keys/keymap'
import { useKeys } from '../../../shared/keys/use-keys'
import type { Part } from '../../../shared/routes/grid-search'
import { PartLayer } from './part-layer'
import { middle } from './parts'
import { useFindSimilar } from './use-find-similar'

interface SimilarStageProps {
  dataset: string
  sample: Sample
  /** The picture, and what lies over it. */
  children: ReactNode
}

/** The drawer's picture, with the ways to what is like it, or like a part of it. */
export function SimilarStage({ dataset, sample, children }: SimilarStageProps) {
  const find = useFindSimilar(dataset)
  const map = useKeyMap()
  const [part, setPart] = useState<Part | null>(null)
  const { width, height } = sample
  useKeys(
    (event) => {
      const asked = actionFor(event, 'items', map) === 'similar'
      if (asked) find(sample.key)
      return asked
    },
    // The drawer is a dialog of its own: only what is typed into a field is not for it.
    (event) => event.repeat || (event.target instanceof HTMLElement && event.target.closest('input, textarea, select') !== null),
  )
  return (
    <>
      <div className="item-stage">
        {children}
        {part && width !== null && height !== null && (
          <PartLayer width={width} height={height} part={part} onChange={setPart} onFind={() => find(sample.key, part)} />
        )}
      </div>
      <div className="row similar-actions">
        {part ? (
          <>
            <button type="button" className="button primary" onClick={() => find(sample.key, part)}>
              <Images size={14} aria-hidden />
              Find similar to this part
            </button>
            <button type="button" className="button" onClick={() => setPart(null)}>
              Whole image
            </button>
            <span id="part-keys" className="quiet small">
              Draw a rectangle on the image. With the keyboard: arrows move it, Shift and arrows change its size, Enter searches.
            </span>
          </>
        ) : (
          <>
            <button type="button" className="button" onClick={() => find(sample.key)}>
              <Images size={14} aria-hidden />
              Similar
              <KeyCap scope="items" action="similar" />
            </button>
            {width !== null && height !== null && (
              <button type="button" className="button" onClick={() => setPart(middle({ width, height }))}>
                <Crop size={14} aria-hidden />
                Similar to a part…
              </button>
            )}
          </>
        )}
      </div>
    </>
  )
}
