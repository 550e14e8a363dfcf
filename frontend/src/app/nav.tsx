import { Link, useRouterState } from '@tanstack/react-router'
import { Activity, Box, Calculator, ChartNoAxesColumn, ChartSpline, ChevronDown, Database, FlaskConical, House, type LucideIcon, PanelLeftClose, PanelLeftOpen, Pickaxe, Scale, Server, Settings, SlidersHorizontal, Tags, Users, Workflow } from 'lucide-react'
import { useId } from 'react'

import type { Rights } from '../shared/access/use-may'
import { useKeyMap } from '../shared/keys/key-store'
import { strokeWords } from '../shared/keys/keyboard'
import { type ActionOf, isSingle, type KeyMap, strokesFor } from '../shared/keys/keymap'
import { usePreference } from '../shared/preferences/use-preference'
import { useMedia } from '../shared/ui/use-media'
import { type Group, groups, type Page, pageAt, pagesOf } from './pages'

const icons: Record<ActionOf<'goto'>, LucideIcon> = {
  home: House,
  loop: ChartSpline,
  datasets: Database,
  label: Tags,
  mining: Pickaxe,
  pipelines: Workflow,
  backtests: FlaskConical,
  planner: Calculator,
  models: Box,
  sweeps: SlidersHorizontal,
  jobs: Activity,
  workers: Server,
  review: Scale,
  team: ChartNoAxesColumn,
  people: Users,
  settings: Settings,
}

type Folds = Partial<Record<Group, boolean>>
type Width = 'words' | 'icons' | null

const readFolds = (stored: unknown): Folds => Object.fromEntries(groups.flatMap((group) => (typeof (stored as Folds | null | undefined)?.[group] === 'boolean' ? [[group, (stored as Folds)[group]]] : [])))
const readWidth = (stored: unknown): Width => (stored === 'words' || stored === 'icons' ? stored : null)

/** The side bar of a window that has room for one: words, or icons alone, as its person chose. */
export function Nav({ may }: { may: Rights }) {
  const isWide = useMedia('(width >= 1100px)')
  const [chosen, choose] = usePreference('sidebar', readWidth)
  const words = (chosen ?? (isWide ? 'words' : 'icons')) === 'words'
  const Icon = words ? PanelLeftClose : PanelLeftOpen
  const says = words ? 'Show icons only' : 'Show names'
  return (
    <nav className={`nav ${words ? '' : 'icons'}`} aria-label="Pages">
      <Pages may={may} words={words} />
      <span className="grow" />
      <button type="button" className="nav-link" title={says} onClick={() => choose(words ? 'icons' : 'words')}>
        <Icon size={16} aria-hidden />
        <span>{says}</span>
      </button>
    </nav>
  )
}

/** The pages in their groups; icons alone have no groups to fold. */
export function Pages({ may, words }: { may: Rights; words: boolean }) {
  const pages = pagesOf(may)
  return (
    <>
      {pages.filter(({ group }) => group === null).map((page) => (
        <PageLink key={page.to} page={page} />
      ))}
      {groups.map((group) => (
        <PageGroup key={group} group={group} pages={pages.filter((page) => page.group === group)} may={may} words={words} />
      ))}
    </>
  )
}

interface PageGroupProps {
  group: Group
  pages: readonly Page[]
  may: Rights
  words: boolean
}

/** A group that folds, except for the page that is shown; a single page needs no group. */
function PageGroup({ group, pages, may, words }: PageGroupProps) {
  const id = useId()
  const here = useRouterState({ select: ({ location }) => pageAt(location.pathname)?.to })
  const [folds, setFolds] = usePreference('navigation', readFolds)
  const open = folds[group] ?? opensAtFirst(group, may)
  if (pages.length === 0) return null
  const isFlat = !words || pages.length === 1
  const links = pages.filter(({ to }) => isFlat || open || to === here).map((page) => <PageLink key={page.to} page={page} />)
  if (isFlat) return <div className="nav-part">{links}</div>
  return (
    <div className="nav-part">
      <button type="button" className="nav-group" aria-expanded={open} aria-controls={id} onClick={() => setFolds({ ...folds, [group]: !open })}>
        <span className="grow">{group}</span>
        <ChevronDown size={14} aria-hidden />
      </button>
      <div id={id} className="nav-pages" role="group" aria-label={group} hidden={links.length === 0}>
        {links}
      </div>
    </div>
  )
}

/** Those who build open what they build with; operations wait until they are needed. */
function opensAtFirst(group: Group, may: Rights): boolean {
  return group === 'Label' ? may('label') : group === 'Operations' ? !may('read') : may('build') || (group === 'Data' && may('read')) || !may('label')
}

function PageLink({ page: { action, to, name } }: { page: Page }) {
  const map = useKeyMap()
  const Icon = icons[action]
  const isHere = useRouterState({ select: ({ location }) => pageAt(location.pathname)?.action === action })
  return (
    <Link to={to} activeOptions={{ exact: action === 'home' }} className={`nav-link ${isHere ? 'active' : ''}`} title={[name, ...keysTo(action, map)].join(' · ')}>
      <Icon size={16} aria-hidden />
      <span>{name}</span>
    </Link>
  )
}

/** The two keys that lead there, as one text; none where either has no key. */
function keysTo(action: ActionOf<'goto'>, map: KeyMap): string[] {
  const [leader] = strokesFor('global', 'goTo', map)
  const [then] = strokesFor('goto', action, map)
  return leader === undefined || then === undefined || (map.single !== 'all' && isSingle(leader)) ? [] : [`${strokeWords(leader)} ${strokeWords(then)}`]
}
