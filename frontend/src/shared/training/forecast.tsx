import { useQuery } from '@tanstack/react-query'

import { explain, faultOf } from '../api/errors'
import type { Needs } from '../api/types'
import { given } from '../format/amount'
import { readConfig } from '../format/read-config'
import { useSettled } from '../live/use-settled'
import { forecastQuery } from './queries'

/** A training while it is typed. */
export interface Asked {
  /** '' while none is chosen. */
  dataset: string
  version: string
  /** '' for the recommended one. */
  architecture: string
  /** JSON. */
  config: string
  needs: Needs | null
}

const settles = 400

/** How long it takes here, asked again once nothing is typed for a moment. `isCurrent`: the answer is to what is typed now. */
export function useForecast({ dataset, version, architecture, config, needs }: Asked) {
  const now = JSON.stringify({ dataset, version, config, needs, architecture })
  const settled = useSettled(now, settles)
  const asked = JSON.parse(settled) as Asked
  const read = readConfig(asked.config)
  const query = forecastQuery({ dataset: asked.dataset, version: asked.version, config: read.config ?? {}, ...given({ architecture: asked.architecture || null, needs: asked.needs }) })
  const { data, error, isFetching } = useQuery({ ...query, enabled: asked.dataset !== '' && asked.version !== '' && read.fault === null })
  return { data, error, isCurrent: now === settled && read.fault === null && !isFetching }
}

/** How long the training will take, before it is started. */
export function ForecastLine({ asked }: { asked: Asked }) {
  const { data, error, isCurrent } = useForecast(asked)
  if (asked.dataset === '') return null
  if (error !== null) return isCurrent ? <p className="quiet">{faultOf(error, 'config') === null ? `No forecast: ${explain(error)}` : 'No forecast until the settings are mended.'}</p> : <Waiting />
  if (data === undefined) return <Waiting />
  return (
    <p className={isCurrent ? undefined : 'quiet'} role="status">
      {data.words}
    </p>
  )
}

function Waiting() {
  return <p className="quiet">Estimating how long it takes…</p>
}
