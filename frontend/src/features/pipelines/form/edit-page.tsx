import '../pipelines.css'

import { useMutation, useQuery } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'

import type { Pipeline } from '../../../shared/api/types'
import { Failure, Skeleton } from '../../../shared/ui/messages'
import { changePipeline, pipelineQuery } from '../queries'
import { draftOf, settingsOf, type PipelineDraft } from './draft'
import { PipelineForm } from './pipeline-form'

export function EditPipelinePage() {
  const { id } = useParams({ from: '/inside/pipelines/$id/edit' })
  const pipeline = useQuery(pipelineQuery(id))
  return (
    <div className="page">
      <h1>{pipeline.data ? `Edit ${pipeline.data.name}` : 'Edit a pipeline'}</h1>
      {pipeline.isPending && <Skeleton height={320} />}
      {pipeline.isError && !pipeline.data && (
        <Failure
          what="The pipeline could not be loaded"
          error={pipeline.error}
          retry={() => void pipeline.refetch()}
          elsewhere={<Link to="/pipelines" className="button">To the pipelines</Link>}
        />
      )}
      {pipeline.data && <Edit key={pipeline.data.id} pipeline={pipeline.data} />}
    </div>
  )
}

function Edit({ pipeline }: { pipeline: Pipeline }) {
  const navigate = useNavigate()
  const address = { to: '/pipelines/$id', params: { id: String(pipeline.id) } } as const
  const save = useMutation({
    mutationFn: ({ draft, params }: { draft: PipelineDraft; params: Record<string, unknown> }) =>
      changePipeline(pipeline.id, { ...settingsOf(draft), strategy: { name: draft.strategy.name, params } }),
    meta: { renews: [['pipelines']] },
    onSuccess: async () => {
      await navigate({ ...address, ignoreBlocker: true })
    },
  })
  return (
    <PipelineForm first={draftOf(pipeline)} existing sending={save} onSave={(draft, _, params) => save.mutate({ draft, params })}>
      <Link {...address} className="button">
        Cancel
      </Link>
    </PipelineForm>
  )
}
