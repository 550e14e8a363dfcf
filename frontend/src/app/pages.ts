import { Activity, Box, Calculator, ChartNoAxesColumn, ChartSpline, Database, FlaskConical, House, Pickaxe, Scale, Server, Settings, SlidersHorizontal, Tags, Users, Workflow } from 'lucide-react'

import type { Right } from '../shared/access/roles'
import { type ActionOf, pageNames } from '../shared/keys/keymap'

/** By the action of the key map that leads there; `right` is what its calls need. */
const all = [
  { action: 'home', to: '/', Icon: House, right: 'see' },
  { action: 'loop', to: '/loop', Icon: ChartSpline, right: 'read' },
  { action: 'datasets', to: '/datasets', Icon: Database, right: 'read' },
  { action: 'label', to: '/label', Icon: Tags, right: 'label' },
  { action: 'mining', to: '/mining', Icon: Pickaxe, right: 'read' },
  { action: 'pipelines', to: '/pipelines', Icon: Workflow, right: 'read' },
  { action: 'backtests', to: '/backtests', Icon: FlaskConical, right: 'read' },
  { action: 'planner', to: '/planner', Icon: Calculator, right: 'read' },
  { action: 'models', to: '/models', Icon: Box, right: 'read' },
  { action: 'sweeps', to: '/sweeps', Icon: SlidersHorizontal, right: 'read' },
  { action: 'jobs', to: '/jobs', Icon: Activity, right: 'read' },
  { action: 'workers', to: '/workers', Icon: Server, right: 'read' },
  { action: 'review', to: '/review', Icon: Scale, right: 'review' },
  { action: 'team', to: '/team', Icon: ChartNoAxesColumn, right: 'label' },
  { action: 'people', to: '/people', Icon: Users, right: 'administer' },
  { action: 'settings', to: '/settings', Icon: Settings, right: 'see' },
] as const satisfies readonly { action: ActionOf<'goto'>; to: string; Icon: unknown; right: Right }[]

export type Page = (typeof all)[number] & { name: string }

/** The pages that somebody with these rights may open, in the order of the navigation. */
export function pagesOf(may: (right: Right) => boolean): Page[] {
  return all.filter(({ right }) => may(right)).map((page) => ({ ...page, name: pageNames[page.action] }))
}

/** Forms that make or change what only some may. */
const forms = /^\/(datasets|mining|pipelines|backtests|sweeps)\/new$|^\/pipelines\/[^/]+\/edit$/

/** What was done lies below the settings, and is for owners. */
const audit = /^\/settings\/audit(\/|$)/

/** The right that an address needs: that of the page it lies below; other addresses are no annotator's. */
export function rightAt(path: string): Right {
  if (forms.test(path)) return 'build'
  if (audit.test(path)) return 'own'
  return all.find(({ to }) => path === to || (to !== '/' && path.startsWith(`${to}/`)))?.right ?? 'read'
}
