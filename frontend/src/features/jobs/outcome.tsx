import type { JobDetail } from '../../shared/api/types'
import { bytes, count } from '../../shared/format/numbers'

const nothing: Partial<Record<JobDetail['state'], string>> = {
  succeeded: 'No result was recorded.',
  failed: 'No result: the job failed.',
  cancelled: 'No result: the job was cancelled before it ended.',
}

/** What came of a job: where it lies, and its plain figures. */
export function Outcome({ job }: { job: JobDetail }) {
  const figures = Object.entries(job.result ?? {}).flatMap(([name, value]) => {
    const told = toldValue(name, value)
    return told === null ? [] : [[name.replaceAll('_', ' '), told] as const]
  })
  const url = typeof job.result?.url === 'string' ? job.result.url : null
  return (
    <section className="panel" aria-labelledby="outcome">
      <div className="panel-head">
        <h2 id="outcome">Result</h2>
      </div>
      <div className="panel-body stack">
        {figures.length === 0 && url === null && (
          <p className="quiet">{nothing[job.state] ?? 'No result yet; it appears here when the job is done.'}</p>
        )}
        {figures.length > 0 && (
          <dl className="facts">
            {figures.map(([name, told]) => (
              <Fact key={name} name={name} told={told} />
            ))}
          </dl>
        )}
        {url !== null && (
          <p>
            <a href={url} className="button" download>
              Download the result
            </a>
          </p>
        )}
      </div>
    </section>
  )
}

function Fact({ name, told }: { name: string; told: string }) {
  return (
    <>
      <dt>{name}</dt>
      <dd>{told}</dd>
    </>
  )
}

/** Plain values as they are, splits with their samples, other lists by their length; what is deeper stays out. */
function toldValue(name: string, value: unknown): string | null {
  if (typeof value === 'number') return /bytes|size/.test(name) ? bytes(value) : Number.isInteger(value) ? count(value) : String(Number(value.toPrecision(4)))
  if (typeof value === 'string' && name !== 'url' && value !== '') return value
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  if (!Array.isArray(value) || value.length === 0) return null
  const splits = value.filter(isSplitFact)
  return splits.length === value.length ? splits.map(({ split, samples }) => `${split} ${count(samples)}`).join(', ') : count(value.length)
}

function isSplitFact(value: unknown): value is { split: string; samples: number } {
  const { split, samples } = (value ?? {}) as { split?: unknown; samples?: unknown }
  return typeof split === 'string' && typeof samples === 'number'
}
