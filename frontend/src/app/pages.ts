import { Activity, Box, ChartNoAxesColumn, ChartSpline, Database, FlaskConical, House, Pickaxe, Scale, Server, Settings, Tags, Users, Workflow } from 'lucide-react'

import { isAtLeast } from '../shared/access/roles'
import type { Role } from '../shared/access/types'
import { actions, type ActionOf } from '../shared/keys/keymap'

/** By the action of the key map that leads there; `least` is the role that its calls need. */
const all = [
  { action: 'home', to: '/', Icon: House, least: 'annotator' },
  { action: 'loop', to: '/loop', Icon: ChartSpline, least: 'reviewer' },
  { action: 'datasets', to: '/datasets', Icon: Database, least: 'reviewer' },
  { action: 'label', to: '/label', Icon: Tags, least: 'annotator' },
  { action: 'mining', to: '/mining', Icon: Pickaxe, least: 'reviewer' },
  { action: 'pipelines', to: '/pipelines', Icon: Workflow, least: 'reviewer' },
  { action: 'backtests', to: '/backtests', Icon: FlaskConical, least: 'reviewer' },
  { action: 'models', to: '/models', Icon: Box, least: 'reviewer' },
  { action: 'jobs', to: '/jobs', Icon: Activity, least: 'reviewer' },
  { action: 'workers', to: '/workers', Icon: Server, least: 'reviewer' },
  { action: 'review', to: '/review', Icon: Scale, least: 'reviewer' },
  { action: 'team', to: '/team', Icon: ChartNoAxesColumn, least: 'annotator' },
  { action: 'people', to: '/people', Icon: Users, least: 'owner' },
  { action: 'settings', to: '/settings', Icon: Settings, least: 'annotator' },
] as const satisfies readonly { action: ActionOf<'goto'>; to: string; Icon: unknown; least: Role }[]

export type Page = (typeof all)[number] & { name: string }

/** The pages that a person of this role may open, in the order of the navigation. */
export function pagesOf(role: string | undefined): Page[] {
  return all.filter(({ least }) => isAtLeast(role, least)).map((page) => ({ ...page, name: actions.goto[page.action].words }))
}

/** The role that an address needs: that of the page it lies below; other addresses are no annotator's. */
export function leastAt(path: string): Role {
  return all.find(({ to }) => path === to || (to !== '/' && path.startsWith(`${to}/`)))?.least ?? 'reviewer'
}
