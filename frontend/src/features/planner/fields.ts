/** The numbers of a plan by the API's names, group by group. */
export interface PlanField {
  name: string
  label: string
  hint?: string
}

export const groups: readonly { title: string; fields: readonly PlanField[]; open?: true }[] = [
  {
    title: 'Fleet',
    open: true,
    fields: [
      { name: 'fleet.vehicles', label: 'Vehicles' },
      { name: 'fleet.terabytes_per_hour', label: 'Terabytes an hour of one vehicle' },
      { name: 'fleet.hours_per_day', label: 'Hours a day' },
      { name: 'fleet.days', label: 'Days' },
      { name: 'fleet.share_kept', label: 'Share kept', hint: '0.0005 is 0.05 %.' },
    ],
  },
  {
    title: 'Existing data',
    fields: [
      { name: 'data.terabytes', label: 'Kept terabytes', hint: 'Instead of a fleet.' },
      { name: 'data.images', label: 'Images' },
      { name: 'data.image_bytes', label: 'Bytes of an image' },
      { name: 'data.proxy_bytes', label: 'Bytes of a small copy', hint: 'Default: 25,000.' },
      { name: 'data.copies', label: 'Copies stored', hint: 'Default: 1.' },
    ],
  },
  {
    title: 'Scoring',
    fields: [
      { name: 'scoring.images_per_second', label: 'Images a second of one worker' },
      { name: 'scoring.workers', label: 'Workers' },
    ],
  },
  {
    title: 'Labels',
    fields: [
      { name: 'labeling.labels', label: 'Labels' },
      { name: 'labeling.share', label: 'Share of the images', hint: 'Instead of a number of labels.' },
      { name: 'labeling.answers_per_label', label: 'Answers for a label' },
      { name: 'labeling.labels_per_hour', label: 'Labels an hour of one annotator' },
      { name: 'labeling.hours_per_day', label: 'Hours a day of one annotator' },
      { name: 'labeling.days', label: 'Days for the labels', hint: 'Default: the target.' },
    ],
  },
  {
    title: 'Network',
    fields: [
      { name: 'network.gigabits_per_second', label: 'Line, Gbit/s' },
      { name: 'network.days', label: 'Days for the data to come in', hint: 'Default: the days of the fleet.' },
    ],
  },
  {
    title: 'Prices',
    fields: [
      { name: 'currency', label: 'Currency' },
      { name: 'prices.terabyte_month', label: 'A terabyte for a month' },
      { name: 'prices.months', label: 'Months stored' },
      { name: 'prices.machine_hour', label: 'A training machine for an hour' },
      { name: 'prices.worker_hour', label: 'A scoring worker for an hour' },
      { name: 'prices.label', label: 'An answer' },
      { name: 'prices.annotator_hour', label: 'An annotator for an hour' },
    ],
  },
]

export const target: PlanField = { name: 'target_days', label: 'Target, days', hint: 'How many machines and workers end training and scoring within it.' }

const words = new Map([target, ...groups.flatMap(({ fields }) => fields)].map(({ name, label }) => [name, label]))

/** What a person calls it. */
export function fieldWords(name: string): string {
  return words.get(name) ?? (name === 'fleet' ? 'the fleet, or kept terabytes' : name.startsWith('training') ? 'a training' : name)
}
