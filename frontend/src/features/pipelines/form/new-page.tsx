import '../pipelines.css'

import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'

import { api, take } from '../../../shared/api/client'
import type { NewPipeline } from '../../../shared/api/types'
import { emptyDraft, newPipeline } from './draft'
import { PipelineForm } from './pipeline-form'

export function NewPipelinePage() {
  const client = useQueryClient()
  const navigate = useNavigate()
  const make = useMutation({
    mutationFn: (body: NewPipeline) => take(api.POST('/pipelines', { body })),
    onSuccess: async ({ id }) => {
      await client.invalidateQueries({ queryKey: ['pipelines'] })
      await navigate({ to: '/pipelines/$id', params: { id: String(id) }, ignoreBlocker: true })
    },
  })
  return (
    <div className="page">
      <h1>New pipeline</h1>
      <PipelineForm first={emptyDraft} existing={false} error={make.error} pending={make.isPending} onSave={(draft, config, params) => make.mutate(newPipeline(draft, config, params))}>
        <Link to="/pipelines" className="button">
          Cancel
        </Link>
      </PipelineForm>
    </div>
  )
}
