import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'

import { modelsList } from '../../shared/api/lists'
import type { Model } from '../../shared/api/types'
import { percent } from '../../shared/format/numbers'
import { useList } from '../../shared/lists/pages'
import { usePicked } from '../../shared/project-choice/picked'
import { Chip } from '../../shared/ui/chip'
import { Empty, Failure, Skeleton } from '../../shared/ui/messages'
import { judgingOf } from '../../tasktypes/judging'
import { metricWords } from '../../tasktypes/metric-words'
import { servingQuery } from './queries'

const mostShown = 5

/** Which models serve, and how good they are. */
export function Serving() {
  const { rows, error } = useList(modelsList(usePicked(), { alias: 'production' }))
  return (
    <section className="panel" aria-labelledby="serving">
      <div className="panel-head">
        <h2 id="serving" className="grow">
          In production
        </h2>
        <Link to="/models" className="small">
          All models
        </Link>
      </div>
      {!rows && error === null && (
        <div className="panel-body">
          <Skeleton height={40} />
        </div>
      )}
      {!rows && error !== null && <Failure what="The models could not be loaded" error={error} safe="They keep serving without this page." />}
      {rows?.length === 0 && (
        <Empty
          action={
            <Link to="/models" className="button">
              To the models
            </Link>
          }
        >
          No model is in production. Promote a version on its model&rsquo;s page.
        </Empty>
      )}
      {rows && rows.length > 0 && (
        <ul className="work">
          {rows.slice(0, mostShown).map((model) => (
            <ServingLine key={model.id} model={model} />
          ))}
        </ul>
      )}
    </section>
  )
}

function ServingLine({ model }: { model: Model }) {
  const version = useQuery(servingQuery(model.name)).data
  const { headline } = judgingOf(model.task, model)
  const value = version?.metrics[headline]
  const alias = model.aliases.find(({ name }) => name === 'production')
  return (
    <li className="row">
      <Link to="/models/$model" params={{ model: model.name }} className="grow cut">
        {model.name}
      </Link>
      {alias && (
        <Chip tone="ok" bare>
          v{alias.version}
        </Chip>
      )}
      {typeof value === 'number' && <strong title={metricWords(headline)}>{percent(value)}</strong>}
    </li>
  )
}
