import '../pipelines.css'

import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useSearch } from '@tanstack/react-router'

import { api, take } from '../../../shared/api/client'
import type { NewPipeline } from '../../../shared/api/types'
import { Failure, Skeleton } from '../../../shared/ui/messages'
import { pipelineQuery } from '../queries'
import { copyOf, emptyDraft, newPipeline, type PipelineDraft } from './draft'
import { PipelineForm } from './pipeline-form'

/** From nothing, or with the settings of another pipeline (`?like=`): the way on when a dataset got classes its model lacks. */
export function NewPipelinePage() {
  const { like } = useSearch({ from: '/inside/pipelines/new' })
  const model = useQuery({ ...pipelineQuery(like ?? ''), enabled: like !== undefined })
  if (like !== undefined && model.isPending) return <Skeleton height={320} />
  if (model.isError && !model.data) {
    return (
      <div className="page">
        <Failure
          what="The pipeline to copy could not be loaded"
          error={model.error}
          retry={() => void model.refetch()}
          elsewhere={<Link to="/pipelines" className="button">To the pipelines</Link>}
        />
      </div>
    )
  }
  return <NewPipelineForm key={like} first={model.data ? copyOf(model.data) : emptyDraft} />
}

function NewPipelineForm({ first }: { first: PipelineDraft }) {
  const navigate = useNavigate()
  const make = useMutation({
    mutationFn: (body: NewPipeline) => take(api.POST('/pipelines', { body })),
    meta: { renews: [['pipelines']] },
    onSuccess: async ({ id }) => {
      await navigate({ to: '/pipelines/$id', params: { id: String(id) }, ignoreBlocker: true })
    },
  })
  return (
    <div className="page">
      <h1>New pipeline</h1>
      <PipelineForm first={first} existing={false} sending={make} onSave={(draft, config, params) => make.mutate(newPipeline(draft, config, params))}>
        <Link to="/pipelines" className="button">
          Cancel
        </Link>
      </PipelineForm>
    </div>
  )
}
