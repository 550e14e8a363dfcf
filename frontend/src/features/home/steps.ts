import type { Dataset, Model } from '../../shared/api/types'

export const stepNames = ['upload', 'label', 'train', 'promote', 'mine'] as const

/** Which steps of the loop were done once, and what the next one is about. */
export interface FirstSteps {
  done: Record<(typeof stepNames)[number], boolean>
  /** With labels, where one has some. */
  dataset: Pick<Dataset, 'name'> | null
  /** Trained, where one is; in production, where one is. */
  model: Pick<Model, 'name'> | null
}

/**
 * What the newest datasets and models, those in `production`, and whether anything was mined, say of it. What a step was done
 * with may be older than the newest: a later step that was done says that the ones before it were.
 */
export function firstStepsOf(datasets: readonly Dataset[], models: readonly Model[], production: readonly Model[], mined: boolean): FirstSteps {
  const filled = datasets.filter(({ counts }) => counts.samples > 0)
  const labelled = filled.filter(({ counts }) => counts.labelled > 0)
  const trained = models.filter(({ latest }) => latest !== null)
  const promote = production.length > 0
  const train = promote || trained.length > 0
  const label = train || labelled.length > 0
  return {
    done: { upload: label || mined || filled.length > 0, label, train, promote, mine: mined },
    dataset: labelled[0] ?? filled[0] ?? null,
    model: production[0] ?? trained[0] ?? null,
  }
}
