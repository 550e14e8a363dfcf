import type { Right } from '../shared/access/roles'
import { type ActionOf, pageNames } from '../shared/keys/keymap'

/** What people do here: the groups of the side bar, in their order. */
export const groups = ['Label', 'Data', 'Models', 'Mining', 'Operations'] as const
export type Group = (typeof groups)[number]

/** By the action of the key map that leads there; `right` is what its calls need; without a group it stands above them. */
const all = [
  { action: 'home', to: '/', right: 'see', group: null },
  { action: 'label', to: '/label', right: 'label', group: 'Label' },
  { action: 'review', to: '/review', right: 'review', group: 'Label' },
  { action: 'team', to: '/team', right: 'label', group: 'Label' },
  { action: 'datasets', to: '/datasets', right: 'read', group: 'Data' },
  { action: 'models', to: '/models', right: 'read', group: 'Models' },
  { action: 'sweeps', to: '/sweeps', right: 'read', group: 'Models' },
  { action: 'loop', to: '/loop', right: 'read', group: 'Mining' },
  { action: 'mining', to: '/mining', right: 'read', group: 'Mining' },
  { action: 'pipelines', to: '/pipelines', right: 'read', group: 'Mining' },
  { action: 'backtests', to: '/backtests', right: 'read', group: 'Mining' },
  { action: 'planner', to: '/planner', right: 'read', group: 'Mining' },
  { action: 'jobs', to: '/jobs', right: 'read', group: 'Operations' },
  { action: 'workers', to: '/workers', right: 'read', group: 'Operations' },
  { action: 'people', to: '/people', right: 'administer', group: 'Operations' },
  { action: 'settings', to: '/settings', right: 'see', group: 'Operations' },
] as const satisfies readonly { action: ActionOf<'goto'>; to: string; right: Right; group: Group | null }[]

export type Page = (typeof all)[number] & { name: string }

/** The pages that somebody with these rights may open, in the order of the navigation. */
export function pagesOf(may: (right: Right) => boolean): Page[] {
  return all.filter(({ right }) => may(right)).map((page) => ({ ...page, name: pageNames[page.action] }))
}

/** Forms that make or change what only some may. */
const forms = /^\/(datasets|mining|pipelines|backtests|sweeps)\/new$|^\/pipelines\/[^/]+\/edit$/

/** What was done lies below the settings, and is for owners. */
const audit = /^\/settings\/audit(\/|$)/

/** The page of the side bar that an address belongs to. */
export function pageAt(path: string): (typeof all)[number] | undefined {
  if (/^\/(runs|encoders)(\/|$)/.test(path)) return all.find(({ action }) => action === 'models')
  return all.find(({ to }) => path === to || (to !== '/' && path.startsWith(`${to}/`)))
}

/** The right that an address needs: that of the page it lies below; other addresses are no annotator's. */
export function rightAt(path: string): Right {
  if (path === '/notifications') return 'see'
  if (forms.test(path)) return 'build'
  if (audit.test(path)) return 'own'
  return all.find(({ to }) => path === to || (to !== '/' && path.startsWith(`${to}/`)))?.right ?? 'read'
}
