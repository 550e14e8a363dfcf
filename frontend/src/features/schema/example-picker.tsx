import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useDeferredValue, useState } from 'react'

import { api, take } from '../../shared/api/client'
import type { ClassExample } from '../../shared/classes/types'
import { Dialog } from '../../shared/ui/dialog'
import { Check } from '../../shared/ui/fields'
import { Empty, Failure, Skeleton } from '../../shared/ui/messages'
import { RefusableButton } from '../../shared/ui/refusable-button'

const shown = 60

interface ExamplePickerProps {
  dataset: string
  /** The class whose examples are picked. */
  name: string
  chosen: readonly ClassExample[]
  most: number
  onChange: (examples: ClassExample[]) => void
  onClose: () => void
}

/** Pictures with the class's label, or any picture whose key is typed; a click takes one or leaves it out. */
export function ExamplePicker({ dataset, name, chosen, most, onChange, onClose }: ExamplePickerProps) {
  const [labelled, setLabelled] = useState(true)
  const [wanted, setWanted] = useState('')
  const q = useDeferredValue(wanted.trim())
  const filter = { ...(labelled ? { label: [name] } : {}), ...(q === '' ? {} : { q }) }
  const samples = useQuery({
    queryKey: ['datasets', dataset, 'examples', filter],
    queryFn: () =>
      take(
        api.GET('/datasets/{reference}/versions/{number}/samples', {
          params: { path: { reference: dataset, number: 'head' }, query: { ...filter, limit: shown } },
        }),
      ),
    placeholderData: keepPreviousData,
  })
  const keys = new Set(chosen.map(({ key }) => key))
  const toggle = (example: ClassExample) =>
    onChange(keys.has(example.key) ? chosen.filter(({ key }) => key !== example.key) : [...chosen, example])
  return (
    <Dialog wide onClose={onClose} title={`Examples of ${name}`}>
      <div className="stack">
        <div className="row wrap">
          <input
            className="field grow"
            aria-label="Key of a sample"
            placeholder="Part of a sample's key"
            value={wanted}
            onChange={({ target }) => setWanted(target.value)}
          />
          <Check checked={labelled} onChange={setLabelled}>
            Only labelled {name}
          </Check>
        </div>
        {samples.isPending && <Skeleton height={240} />}
        {samples.isError && <Failure what="The samples could not be loaded" error={samples.error} retry={() => void samples.refetch()} />}
        {samples.data?.results.length === 0 && (
          <Empty>{labelled ? `No sample is labelled ${name} yet. Untick the box to pick from all.` : 'No sample has this in its key.'}</Empty>
        )}
        <ul className="picker">
          {samples.data?.results.map(({ key, digest, thumb }) => (
            <li key={key}>
              <RefusableButton
                aria-pressed={keys.has(key)}
                refusal={keys.has(key) || chosen.length < most ? null : `A class has at most ${most} examples: press a chosen one to take it back.`}
                onClick={() => toggle({ key, digest, thumb, note: '' })}
              >
                <img src={thumb} alt="" />
                <span className="cut mono">{key}</span>
              </RefusableButton>
            </li>
          ))}
        </ul>
        <div className="row">
          <span className="grow quiet" role="status">
            {chosen.length} of {most} picked
          </span>
          <button type="button" className="button primary" onClick={onClose}>
            Done
          </button>
        </div>
      </div>
    </Dialog>
  )
}
