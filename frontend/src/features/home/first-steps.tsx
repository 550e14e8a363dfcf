import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Check, Circle } from 'lucide-react'
import type { ReactNode } from 'react'

import { useMay } from '../../shared/access/use-may'
import { datasetsList, modelsList } from '../../shared/api/lists'
import { usePreference } from '../../shared/preferences/use-preference'
import { usePicked } from '../../shared/project-choice/picked'
import { LabelLink } from '../../shared/queues/label-link'
import { TrainButton } from '../../shared/training/train-button'
import { type FirstSteps, firstStepsOf, stepNames } from './steps'
import { anyMiningQuery } from './queries'

const readShown = (stored: unknown): 'shown' | 'hidden' | null => (stored === 'shown' || stored === 'hidden' ? stored : null)

/** Whether the five steps are shown: until each was done once, or as somebody chose; never to who may take none of them. */
export function useFirstSteps() {
  const project = usePicked()
  const enabled = useMay('build')
  const [chosen, choose] = usePreference('first-steps', readShown)
  const datasets = useInfiniteQuery({ ...datasetsList(project), enabled }).data?.pages[0]?.results
  const models = useInfiniteQuery({ ...modelsList(project), enabled }).data?.pages[0]?.results
  const production = useInfiniteQuery({ ...modelsList(project, { alias: 'production' }), enabled }).data?.pages[0]?.results
  const mined = useQuery({ ...anyMiningQuery(project), enabled }).data
  const steps = datasets && models && production && mined !== undefined ? firstStepsOf(datasets, models, production, mined) : null
  const shown = steps !== null && (chosen === 'shown' || (chosen === null && stepNames.some((name) => !steps.done[name])))
  return { steps, shown, choose }
}

/** The way from images to a model that picks the next ones, each step ticked once it was done. */
export function FirstStepsPanel() {
  const { steps, shown, choose } = useFirstSteps()
  if (!shown || steps === null) return null
  const next = stepNames.find((name) => !steps.done[name])
  return (
    <section className="panel" aria-labelledby="first-steps">
      <div className="panel-head">
        <h2 id="first-steps" className="grow">
          First steps
        </h2>
        <button type="button" className="button little" onClick={() => choose('hidden')}>
          Hide this
        </button>
      </div>
      <ol className="work">
        {stepNames.map((name) => (
          <li key={name} className="row" aria-current={name === next ? 'step' : undefined}>
            {steps.done[name] ? <Check size={16} aria-hidden className="step-done" /> : <Circle size={16} aria-hidden className="quiet" />}
            <span className="grow">
              <strong>{titles[name]}</strong> <span className="quiet">{words[name]}</span>
              <span className="visually-hidden">{steps.done[name] ? ': done' : ': not done yet'}</span>
            </span>
            {name === next && actionOf(name, steps)}
          </li>
        ))}
      </ol>
    </section>
  )
}

/** Brings the steps back where they are not shown. */
export function ShowFirstSteps() {
  const { steps, shown, choose } = useFirstSteps()
  if (shown || steps === null) return null
  return (
    <button type="button" className="button" onClick={() => choose('shown')}>
      First steps
    </button>
  )
}

const titles: Record<keyof FirstSteps['done'], string> = { upload: 'Upload', label: 'Label', train: 'Train', promote: 'Promote', mine: 'Mine' }
const words: Record<keyof FirstSteps['done'], string> = {
  upload: 'images, with or without labels, as a dataset.',
  label: 'some of them, and commit the labels as a version.',
  train: 'a model on that version.',
  promote: 'the model, so that mining uses it.',
  mine: 'the images that confuse it, and label those next.',
}

function actionOf(name: keyof FirstSteps['done'], { dataset, model }: FirstSteps): ReactNode {
  const primary = 'button primary'
  if (name === 'upload') return <Link to="/datasets/new" className={primary}>Create a dataset</Link>
  if (name === 'label' && dataset) return <LabelLink dataset={dataset.name} primary>Label images</LabelLink>
  if (name === 'train' && dataset) return <TrainButton dataset={dataset} primary>Train a model</TrainButton>
  if (name === 'promote' && model) return <Link to="/models/$model" params={{ model: model.name }} className={primary}>Choose a version</Link>
  if (name === 'mine') return <Link to="/mining/new" search={{ ...(dataset ? { dataset: dataset.name } : {}), ...(model ? { model: model.name, modelVersion: 'production' } : {}) }} className={primary}>Mine samples</Link>
  return null
}
