import './encoders.css'

import { useMutation } from '@tanstack/react-query'
import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'

import { useRights } from '../../shared/access/use-may'
import { api, take } from '../../shared/api/client'
import type { Encoder } from '../../shared/api/types'
import { bytes, count, plural, when } from '../../shared/format/numbers'
import { ListFrame } from '../../shared/lists/list-frame'
import { useList } from '../../shared/lists/pages'
import { SearchBox } from '../../shared/lists/search-box'
import { Table } from '../../shared/lists/table'
import { useProjects } from '../../shared/project-choice/picked'
import { FormDialog } from '../../shared/ui/form-dialog'
import { later } from '../../shared/ui/later'
import { Empty } from '../../shared/ui/messages'
import { toast } from '../../shared/ui/toast-store'
import { encodersList } from '../../shared/api/lists'

const AddEncoderDialog = later(async () => (await import('./add-dialog')).default)
const FetchEncoderDialog = later(async () => (await import('./fetch-dialog')).default)

/** Pairs of networks of images and of texts that people brought, to search by words with and to train on. */
export function EncodersPage() {
  const { q } = useSearch({ from: '/inside/encoders' })
  const { several, picked } = useProjects()
  const may = useRights()
  const [adding, setAdding] = useState<'files' | 'addresses' | null>(null)
  const [leaving, setLeaving] = useState<Encoder | null>(null)
  const reading = useList(encodersList(picked, { q }))
  const add = may('build') && (
    <span className="row">
      <button type="button" className="button" onClick={() => setAdding('addresses')}>
        Fetch an encoder…
      </button>
      <button type="button" className="button primary" onClick={() => setAdding('files')}>
        Add an encoder…
      </button>
    </span>
  )
  const project = several ? ['Project'] : []
  return (
    <ListFrame
      title="Encoders"
      noun="encoders"
      reading={reading}
      filters={<SearchBox label="Search encoders by name or notes" placeholder="Name, notes" />}
      action={add}
      empty={
        <Empty action={add}>
          There are no encoders. A pair of networks for images and texts, such as CLIP or SigLIP, compares words with the images themselves; bring one as two ONNX files with
          its tokenizer, or let the platform fetch these. Without one, words are compared with the names of ImageNet’s classes.
        </Empty>
      }
      table={
        <Table
          caption="All encoders, the newest first"
          columns={['Name', ...project, 'Reads', { name: 'Numbers', number: true }, { name: 'Size', number: true }, 'Trains models', 'Notes', 'By', 'Added', { name: 'Actions', silent: true }]}
        >
          {reading.rows?.map((encoder) => (
            <tr key={encoder.id}>
              <th scope="row">{encoder.name}</th>
              {several && <td>{encoder.project}</td>}
              <td>{readWords(encoder.parameters)}</td>
              <td className="number">{count(encoder.width)}</td>
              <td className="number">{bytes(encoder.size)}</td>
              <td title={encoder.trunk_fault}>{encoder.trunk_fault === '' ? 'yes' : 'no'}</td>
              <td>
                <span className="encoder-notes" title={encoder.notes}>
                  {encoder.notes || '–'}
                </span>
              </td>
              <td>{encoder.created_by}</td>
              <td className="quiet">{when(encoder.created)}</td>
              <td>
                {may('build', encoder.project) && (
                  <button type="button" className="button little" onClick={() => setLeaving(encoder)}>
                    Remove<span className="visually-hidden"> {encoder.name}</span>
                  </button>
                )}
              </td>
            </tr>
          ))}
        </Table>
      }
    >
      {adding === 'files' && <AddEncoderDialog onClose={() => setAdding(null)} />}
      {adding === 'addresses' && <FetchEncoderDialog onClose={() => setAdding(null)} />}
      {leaving && <RemoveDialog encoder={leaving} onClose={() => setLeaving(null)} />}
    </ListFrame>
  )
}

/** `images of 3 × 224 × 224, 77 tokens` */
function readWords({ input_size: size, text_length: tokens }: Record<string, unknown>): string {
  const said = [Array.isArray(size) && `images of ${size.join(' × ')}`, typeof tokens === 'number' && plural(tokens, 'token')]
  return said.filter((words) => words !== false).join(', ')
}

function RemoveDialog({ encoder, onClose }: { encoder: Encoder; onClose: () => void }) {
  const remove = useMutation({
    mutationFn: () => take(api.DELETE('/encoders/{encoder}', { params: { path: { encoder: String(encoder.id) } } })),
    meta: { renews: [['encoders'], ['datasets']] },
    onSuccess: ({ embeddings, models }) => {
      const kept = models.length === 0 ? '' : `; its file stays with ${models.join(', ')}`
      toast('plain', `The encoder ${encoder.name} is gone, and ${plural(embeddings, 'embedding')} with it${kept}`)
      onClose()
    },
  })
  return (
    <FormDialog title={`Remove ${encoder.name}`} onClose={onClose} sending={remove} onSend={() => remove.mutate()} action="Remove the encoder" doing="Removing…">
      <p>The embeddings that it computed go with it; nobody can search by them or train on it any more. Samples stay as they are, and so do models that were trained on it.</p>
    </FormDialog>
  )
}
