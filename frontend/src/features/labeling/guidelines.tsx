import type { QueueSchema } from '../../shared/api/types'
import { later } from '../../shared/ui/later'

const GuidelinePanel = later(async () => (await import('../../shared/classes/guideline-panel')).GuidelinePanel)

/** What annotators are told of the classes; where nobody has written anything, that. */
export function Guidelines({ schema, open }: { schema: QueueSchema; open?: readonly string[] }) {
  const told = schema.guideline !== '' || schema.classes.some(({ guideline, examples }) => guideline !== '' || examples.length > 0)
  if (!told) return <p className="quiet">Nobody has written guidelines for this dataset yet.</p>
  return <GuidelinePanel schema={schema} {...(open ? { open } : {})} />
}
