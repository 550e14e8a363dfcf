import type { ModelVersionDetail } from '../../shared/api/types'
import { bytes, count, duration, percent } from '../../shared/format/numbers'
import { Chip } from '../../shared/ui/chip'
import { CopyLine } from '../../shared/ui/copy-line'
import { Empty } from '../../shared/ui/messages'
import { tiny } from './figures'
import { list, number, type JsonRecord, record, text } from './reading'
import { type Check, checks, type TensorRt, tensorrt } from './report'
import { VariantTable } from './variant-table'

/** What was proved of the file that ships, as its report says it. */
export function ReportPanel({ detail, headline }: { detail: ModelVersionDetail; headline: string }) {
  const { report } = detail
  const found = checks(report)
  const line = text(report.trtexec)
  return (
    <section className="panel" aria-labelledby="export">
      <div className="panel-head">
        <h2 id="export" className="grow">
          Export report
        </h2>
        {found.length > 0 && <Chip tone={report.ready === true ? 'ok' : 'bad'}>{report.ready === true ? 'ready' : 'not ready'}</Chip>}
      </div>
      {found.length === 0 ? (
        <Empty>This version has no export report. Train it again to have its file checked.</Empty>
      ) : (
        <div className="panel-body stack wide-gap">
          <div className="model-columns even">
            <div className="stack">
              <h3>Checks of the file</h3>
              <Checks checks={found} />
            </div>
            <div className="stack">
              <h3>Parity with what was trained</h3>
              <Parity parity={record(report.parity)} />
              <h3>TensorRT</h3>
              <Proof proof={tensorrt(report)} />
              <FileFacts report={report} />
            </div>
          </div>
          <VariantTable detail={detail} headline={headline} />
          {line !== null && <CopyLine line={line} what="line that builds the engine" />}
        </div>
      )}
    </section>
  )
}

function Checks({ checks: found }: { checks: Check[] }) {
  return (
    <ul className="gates">
      {[...found]
        .sort((a, b) => Number(a.passed) - Number(b.passed))
        .map((check) => (
          <li key={check.name} className="gate">
            <Chip tone={check.passed ? 'ok' : 'bad'}>{check.passed ? 'passed' : 'failed'}</Chip>
            <div className="grow">
              {check.name}
              {check.problems.map((problem) => (
                <p key={problem} className="small wrong-word">
                  {problem}
                </p>
              ))}
            </div>
          </li>
        ))}
    </ul>
  )
}

function Parity({ parity }: { parity: JsonRecord }) {
  const [samples, agreement] = [number(parity.samples), number(parity.top1_agreement)]
  const [most, allowed, variance] = [number(parity.max_abs_error), number(parity.tolerance), number(parity.batch_variance)]
  if (samples === null || agreement === null) return <p className="quiet">Not in the report.</p>
  return (
    <div className="gate">
      <Chip tone={parity.passed === true ? 'ok' : 'bad'}>{parity.passed === true ? 'passed' : 'failed'}</Chip>
      <p className="grow">
        {percent(agreement, 0)} of {count(samples)} answers are {parity.reference === 'onnxruntime' ? 'those of the plain graph' : 'those of torch'}
        {most !== null && allowed !== null && (
          <span className="quiet small">
            {' '}
            · at most {tiny(most)} apart, {tiny(allowed)} allowed
          </span>
        )}
        {variance !== null && <span className="quiet small"> · {tiny(variance)} between batch sizes</span>}
      </p>
    </div>
  )
}

function Proof({ proof }: { proof: TensorRt }) {
  return (
    <div className="stack">
      <div className="gate">
        <Chip tone={proof.tone}>{proof.words}</Chip>
        <p className="grow">
          {proof.version ?? (proof.words === 'not verified' ? 'TensorRT has not been run on this file.' : '')}
          {proof.reason !== null && <span className="quiet small"> {proof.reason}</span>}
        </p>
      </div>
      {proof.engines.map((engine) => (
        <p key={engine.architecture} className="small">
          {engine.architecture}: {engine.built ? 'engine built' : 'no engine'}
          <span className="quiet">
            {engine.seconds !== null && ` in ${duration(engine.seconds)}`}
            {engine.bytes !== null && `, ${bytes(engine.bytes)}`}
          </span>
        </p>
      ))}
    </div>
  )
}

function FileFacts({ report }: { report: JsonRecord }) {
  const profile = record(report.profile)
  const batches = [profile.min, profile.opt, profile.max].map(number)
  return (
    <dl className="facts">
      <dt>Opset</dt>
      <dd>{number(report.opset) ?? '–'}</dd>
      <dt>Batch sizes</dt>
      <dd>{batches.every((size) => size !== null) ? `${batches.join(', ')} (least, usual, most)` : '–'}</dd>
      <dt>Operators</dt>
      <dd className="quiet">{list(report.operators).map(String).join(', ') || '–'}</dd>
      <dt>Allowed by</dt>
      <dd className="quiet">{text(report.operator_list) ?? '–'}</dd>
    </dl>
  )
}
