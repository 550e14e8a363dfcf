import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'

import { api, take } from '../../shared/api/client'
import type { Person } from '../../shared/access/types'
import { TextField } from '../../shared/ui/fields'
import { FormDialog } from '../../shared/ui/form-dialog'

interface EmailDialogProps {
  person: Person
  /** The identity provider's name. */
  provider: string
  onClose: () => void
}

/** The address by which somebody is known when they first sign in with the identity provider. */
export function EmailDialog({ person: { id, username, email, provider: linked }, provider, onClose }: EmailDialogProps) {
  const [address, setAddress] = useState(email ?? '')
  const save = useMutation({
    mutationFn: () => take(api.PATCH('/people/{reference}', { params: { path: { reference: String(id) } }, body: { email: address.trim() } })),
    meta: { renews: [['people']] },
    onSuccess: onClose,
  })
  return (
    <FormDialog title={`Email of ${username}`} onClose={onClose} className="stack wide-gap" sending={save} action="Save" doing="Saving…" refusal={address.trim() === (email ?? '') ? 'Nothing is changed.' : null}>
      <TextField
        name="email"
        label="Email"
        type="email"
        hint={`Whoever has this verified address at ${provider} signs in as ${username}.`}
        maxLength={254}
        autoComplete="off"
        value={address}
        onChange={setAddress}
      />
      {linked && <p>{username} has signed in with {provider}. Another address ends that link, and signs them out.</p>}
    </FormDialog>
  )
}
