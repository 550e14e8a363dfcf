import { Fragment } from 'react'

import type { Feeding } from '../../shared/api/types'
import { CopyButton } from '../../shared/ui/copy-line'

/** How the file that ships wants its images, with programs that give the platform's own answers. */
export default function FeedingPanel({ feeding }: { feeding: Feeding }) {
  return (
    <section className="panel" aria-labelledby="feeding">
      <div className="panel-head">
        <h2 id="feeding">How to feed this file</h2>
      </div>
      <div className="panel-body stack wide-gap">
        <p className="quiet">
          Prepare each image as this table says. Another resize filter gives other answers. The model card and the file’s metadata say the same.
        </p>
        <dl className="facts">
          {feeding.facts.map(({ name, words }) => (
            <Fragment key={name}>
              <dt>{name}</dt>
              <dd>{words}</dd>
            </Fragment>
          ))}
        </dl>
        <Program language="Python" needs="NumPy, ONNX Runtime and Pillow" code={feeding.python} />
        <Program language="C++" needs="OpenCV and ONNX Runtime" code={feeding.cpp} />
      </div>
    </section>
  )
}

interface ProgramProps {
  language: string
  needs: string
  code: string
}

function Program({ language, needs, code }: ProgramProps) {
  return (
    <details>
      <summary>
        {language}, with {needs}
      </summary>
      <div className="row">
        <span className="grow quiet small">It gives the platform’s own answers for an image.</span>
        <CopyButton text={code} what={`${language} program`} />
      </div>
      {/* A scrolled region must be reachable by keyboard to be scrolled by it. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre className="log mono" tabIndex={0} aria-label={`${language} program`}>
        {code}
      </pre>
    </details>
  )
}
