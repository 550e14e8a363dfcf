import { Link } from '@tanstack/react-router'
import { useState } from 'react'

import type { ModelVersionDetail } from '../../shared/api/types'
import { percent } from '../../shared/format/numbers'
import { BoxPicture } from '../../shared/ui/box-picture'
import { type Worst, worstExamples } from './evaluation'

const shownFirst = 16

/** The test samples that the version was most wrong about. */
export function WorstPanel({ detail, classes }: { detail: ModelVersionDetail; classes: string[] }) {
  const [all, setAll] = useState(false)
  const worst = worstExamples(detail.metrics)
  const drawn = worst.some(({ objects, boxes }) => objects.length + boxes.length > 0)
  const { dataset, dataset_version: version } = detail
  if (worst.length === 0 || dataset === null) return null
  return (
    <section className="panel" aria-labelledby="worst">
      <div className="panel-head">
        <h2 id="worst" className="grow">
          Worst examples
        </h2>
        <span className="quiet small">{drawn ? 'true objects, solid, then the model’s boxes, dashed' : 'true label, then the model’s answer'}</span>
      </div>
      <ul className={`panel-body worst ${drawn ? 'drawn' : ''}`}>
        {worst.slice(0, all ? worst.length : shownFirst).map((one) => (
          <li key={one.key}>
            <Link to="/datasets/$id" params={{ id: dataset }} search={{ q: one.key, ...(version === null ? {} : { v: version }) }}>
              {one.objects.length + one.boxes.length > 0 ? (
                <BoxPicture src={`/thumbs/${one.md5}`} alt={one.key} boxes={one.boxes} truth={one.objects} classes={classes} counted="share" manner="before" />
              ) : (
                <img src={`/thumbs/${one.md5}`} alt={one.key} width={112} height={112} loading="lazy" className="pixels" />
              )}
            </Link>
            <p className="small cut" title={`${one.label}, the model said ${one.predicted}`}>
              {one.label} <Told one={one} />
            </p>
            {one.confidence !== null && <p className="quiet small">{drawn ? `closest call ${one.confidence.toFixed(2)}` : `${percent(one.confidence)} sure`}</p>}
          </li>
        ))}
      </ul>
      {worst.length > shownFirst && !all && (
        <div className="panel-foot">
          <button type="button" className="button little" onClick={() => setAll(true)}>
            Show all {worst.length}
          </button>
        </div>
      )}
    </section>
  )
}

function Told({ one }: { one: Worst }) {
  if (one.label !== one.predicted) return <span className="wrong-word">→ {one.predicted}</span>
  return one.objects.some(({ found }) => !found) ? <span className="wrong-word">→ elsewhere</span> : <span className="quiet">told right</span>
}
