import { useMutation } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'

import { newId } from './new-id'
import type { Job } from './types'
import { upload } from './upload'

interface FormUploadOptions<Made> {
  path: string
  /** The queries that show what it makes. */
  renews: readonly (readonly string[])[]
  onMade: (made: Made) => void
}

/** Sends a form with files, tells how far it is, and stops when the page is left. A long check is a job, which makes the rest. */
export function useFormUpload<Made extends object>({ path, renews, onMade }: FormUploadOptions<Made>) {
  const [progress, setProgress] = useState<{ sent: number; total: number } | null>(null)
  const [job, setJob] = useState<number | null>(null)
  const stopper = useRef(new AbortController())
  useEffect(() => () => stopper.current.abort(), [])
  const sending = useMutation({
    mutationFn: (form: FormData) => {
      stopper.current = new AbortController()
      const onProgress = (sent: number, total: number) => setProgress({ sent, total })
      return upload(path, form, { idempotencyKey: newId(), signal: stopper.current.signal, onProgress }) as Promise<Made | { job: Job }>
    },
    meta: { renews },
    onSuccess: (answer) => ('job' in answer ? setJob(answer.job.id) : onMade(answer)),
    onSettled: () => setProgress(null),
  })
  return { sending, progress, job }
}
