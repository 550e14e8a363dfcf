import { versionsList } from '../api/lists'
import type { Version } from '../api/types'
import type { Choice } from '../picking/choices'
import { PickField } from '../picking/pick-field'

interface VersionFieldProps {
  /** '' while none is chosen. */
  dataset: string
  value: string
  onChange: (version: string) => void
  name?: string
  hint?: string
}

/** Chooses a version of a dataset: the head, a tag or an alias, or a number. */
export function VersionField({ dataset, value, onChange, name = 'version', hint = 'The head, a tag, an alias, or a number.' }: VersionFieldProps) {
  return (
    <PickField
      name={name}
      label={dataset === '' ? 'Version' : `Version of ${dataset}`}
      hint={dataset === '' ? 'Choose the dataset first.' : hint}
      required
      disabled={dataset === ''}
      first={[{ value: 'head', words: 'head, the newest version' }]}
      source={(q) => versionsList(dataset, { q })}
      choices={references}
      value={value}
      shown={/^\d+$/.test(value) ? `v${value}` : value}
      onChange={onChange}
    />
  )
}

/** What a version may be named by. */
function references({ version, names, message }: Version): Choice<Version>[] {
  const number = { value: String(version), words: message === '' ? `v${version}` : `v${version}, ${message}` }
  return [...names.map((name) => ({ value: name, words: `${name}, which is v${version}` })), number]
}
