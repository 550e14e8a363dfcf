import { useMutation, useQueryClient } from '@tanstack/react-query'

import { api, take } from '../../shared/api/client'
import type { Person } from '../../shared/access/types'
import { plural } from '../../shared/format/numbers'
import { FormDialog } from '../../shared/ui/form-dialog'
import { toast } from '../../shared/ui/toast-store'

/** Asks before somebody is taken off the platform: the tokens that end by it never come back. */
export function DeactivateDialog({ person: { id, username, tokens, service }, onClose }: { person: Person; onClose: () => void }) {
  const client = useQueryClient()
  const deactivate = useMutation({
    mutationFn: () => take(api.PATCH('/people/{reference}', { params: { path: { reference: String(id) } }, body: { active: false } })),
    onSuccess: async () => {
      toast('plain', service ? `${username} can’t call the platform any more` : `${username} is signed out and can’t sign in; their answers are kept`)
      await client.invalidateQueries({ queryKey: ['people'] })
      onClose()
    },
  })
  return (
    <FormDialog title={`Deactivate ${username}?`} onClose={onClose} className="stack wide-gap" sending={deactivate} action="Deactivate" doing="Deactivating…">
      <p>
        {username} {service ? 'can’t call the platform any more' : 'is signed out everywhere'}{tokens > 0 && `, and ${plural(tokens, 'token ends', 'tokens end')} for good`}. Their answers are kept. They can be
        activated again, and then need a new token.
      </p>
    </FormDialog>
  )
}
