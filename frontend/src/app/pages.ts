import { Activity, Box, ChartNoAxesColumn, ChartSpline, Database, FlaskConical, House, Pickaxe, Scale, Server, Settings, Tags, Users, Workflow } from 'lucide-react'

import { reviews } from '../shared/access/roles'
import { actions, type ActionOf } from '../shared/keys/keymap'

/** By the action of the key map that leads there. */
const all = [
  { action: 'home', to: '/', Icon: House },
  { action: 'loop', to: '/loop', Icon: ChartSpline },
  { action: 'datasets', to: '/datasets', Icon: Database },
  { action: 'label', to: '/label', Icon: Tags },
  { action: 'mining', to: '/mining', Icon: Pickaxe },
  { action: 'pipelines', to: '/pipelines', Icon: Workflow },
  { action: 'backtests', to: '/backtests', Icon: FlaskConical },
  { action: 'models', to: '/models', Icon: Box },
  { action: 'jobs', to: '/jobs', Icon: Activity },
  { action: 'workers', to: '/workers', Icon: Server },
  { action: 'review', to: '/review', Icon: Scale },
  { action: 'team', to: '/team', Icon: ChartNoAxesColumn },
  { action: 'people', to: '/people', Icon: Users },
  { action: 'settings', to: '/settings', Icon: Settings },
] as const satisfies readonly { action: ActionOf<'goto'>; to: string; Icon: unknown }[]

export type Page = (typeof all)[number] & { name: string }

/** The pages that a person of this role may open, in the order of the navigation. */
export function pagesOf(role: string | undefined): Page[] {
  const open = all.filter(({ action }) => (action === 'people' ? role === 'owner' : action !== 'review' || reviews(role)))
  return open.map((page) => ({ ...page, name: actions.goto[page.action].words }))
}
