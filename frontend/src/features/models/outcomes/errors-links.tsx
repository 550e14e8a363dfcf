import { Link } from '@tanstack/react-router'
import type { ComponentProps, ReactNode } from 'react'

import type { OutcomesSearch } from '../../../shared/routes/outcomes-search'

interface OutcomesLinkProps extends Pick<ComponentProps<'a'>, 'className' | 'aria-label' | 'title'> {
  model: string
  version: number | string
  search: OutcomesSearch
  children: ReactNode
}

/** Leads to what a version got right and wrong, one by one. */
export function OutcomesLink({ model, version, search, children, ...rest }: OutcomesLinkProps) {
  return (
    <Link to="/models/$model/$version/outcomes" params={{ model, version: String(version) }} search={search} {...rest}>
      {children}
    </Link>
  )
}

interface ErrorsLinksProps {
  model: string
  version: number | string
  /** Of a class, at a threshold, in a slice. */
  about: Pick<OutcomesSearch, 'class' | 'threshold' | 'slice'>
  /** In words, for those who hear it: `stop`. */
  name: string
}

/** To what was missed and to what was said wrongly. */
export function ErrorsLinks({ model, version, about, name }: ErrorsLinksProps) {
  return (
    <span className="errors-links">
      <OutcomesLink model={model} version={version} search={{ kind: 'missed', ...about }} aria-label={`${name}: missed`}>
        missed
      </OutcomesLink>
      <OutcomesLink model={model} version={version} search={{ kind: 'wrong', ...about }} aria-label={`${name}: wrong`}>
        wrong
      </OutcomesLink>
    </span>
  )
}
