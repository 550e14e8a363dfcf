import { SelectField, TextField } from '../ui/fields'
import { GroupFault } from '../ui/form'
import type { NeedsDraft } from './draft'

interface NeedsFieldsProps {
  legend: string
  /** The server's name of the group. */
  name: string
  draft: NeedsDraft
  onChange: (draft: NeedsDraft) => void
  /** What the number of GPUs means here. */
  gpusHint: string
}

/** What work waits for: a worker that has all of it. */
export function NeedsFields({ legend, name, draft, onChange, gpusHint }: NeedsFieldsProps) {
  const change = (part: Partial<NeedsDraft>) => onChange({ ...draft, ...part })
  return (
    <fieldset className="form-group">
      <legend>{legend}</legend>
      <div className="form-columns">
        <TextField name={`${name}.gpus`} label="GPUs" hint={gpusHint} inputMode="numeric" value={draft.gpus} onChange={(gpus) => change({ gpus })} />
        <TextField name={`${name}.gpu_memory_bytes`} label="Memory of each GPU, GB" inputMode="decimal" value={draft.gpuMemory} onChange={(gpuMemory) => change({ gpuMemory })} />
        <TextField name={`${name}.memory_bytes`} label="Memory, GB" inputMode="decimal" value={draft.memory} onChange={(memory) => change({ memory })} />
        <TextField name={`${name}.cores`} label="Cores" inputMode="numeric" value={draft.cores} onChange={(cores) => change({ cores })} />
        <SelectField name={`${name}.architecture`} label="Processor" value={draft.architecture} onChange={(architecture) => change({ architecture })}>
          <option value="">any</option>
          <option value="x86_64">x86_64</option>
          <option value="aarch64">aarch64</option>
        </SelectField>
      </div>
      <GroupFault name={name} />
      <p className="quiet small">It waits for a worker that has all of this. What is left empty does not matter.</p>
    </fieldset>
  )
}

/** What is said of them where work holds one GPU at most. */
export const oneGpu = '1: a GPU that nobody else is given meanwhile.'
/** What is said of them where a training has a process for each. */
export const aGpuEach = 'As many as the recipe has processes; nobody else is given them meanwhile.'
