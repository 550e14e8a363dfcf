import { Link, useRouterState } from '@tanstack/react-router'

import type { Rights } from '../shared/access/use-may'
import { useKeyMap } from '../shared/keys/key-store'
import { strokeWords } from '../shared/keys/keyboard'
import { type ActionOf, isSingle, type KeyMap, strokesFor } from '../shared/keys/keymap'
import { pagesOf } from './pages'

export function Nav({ may }: { may: Rights }) {
  const map = useKeyMap()
  const inModels = useRouterState({ select: ({ location }) => /^\/(runs\/|encoders)/.test(location.pathname) })
  return (
    <nav className="nav" aria-label="Pages">
      {pagesOf(may).map(({ action, to, name, Icon }) => (
        <Link
          key={to}
          to={to}
          activeOptions={{ exact: action === 'home' }}
          className={`nav-link ${action === 'models' && inModels ? 'active' : ''}`}
          title={[name, ...keysTo(action, map)].join(' · ')}
        >
          <Icon size={16} aria-hidden />
          <span>{name}</span>
        </Link>
      ))}
    </nav>
  )
}

/** The two keys that lead there, as one text; none where either has no key. */
function keysTo(action: ActionOf<'goto'>, map: KeyMap): string[] {
  const [leader] = strokesFor('global', 'goTo', map)
  const [then] = strokesFor('goto', action, map)
  return leader === undefined || then === undefined || (map.single !== 'all' && isSingle(leader)) ? [] : [`${strokeWords(leader)} ${strokeWords(then)}`]
}
