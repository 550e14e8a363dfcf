export interface PersonFigures {
  user: { id: number; username: string }
  answers: number
  labels_per_hour: number | null
  median_seconds: number | null
  /** Share of answers that agree with the others', 0..1. */
  agreement: number | null
  gold: { answers: number; correct: number }
  accuracy: number | null
  interval: [number, number] | null
  skipped: number
}

export interface Pair {
  a: number
  b: number
  /** Tasks that both answered. */
  both: number
  agree: number
  kappa?: number | null
  mean_iou?: number | null
}

export interface Share {
  answers: number
  agree_with_model: number | null
}

export interface Agreement {
  kind: 'class' | 'boxes'
  people: { id: number; username: string; answers: number }[]
  pairs: Pair[]
  fleiss: number | null
  by_class: { class: string; answers: number; agreement: number | null }[]
  blind: { shown: Share; hidden: Share; difference: number | null; interval: [number, number] | null }
  consensus: { method: 'dawid_skene' | 'majority'; people: { id: number; accuracy: number | null }[] }
}
