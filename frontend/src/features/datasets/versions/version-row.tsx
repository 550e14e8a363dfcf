import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ChevronDown, ChevronRight, GitFork, MoveRight, Tag, Undo2 } from 'lucide-react'

import { useMay } from '../../../shared/access/use-may'
import { sessionQuery } from '../../../shared/api/queries'
import type { Version, VersionName } from '../../../shared/api/types'
import { count, plural, when } from '../../../shared/format/numbers'
import { Chip } from '../../../shared/ui/chip'
import { CopyLine } from '../../../shared/ui/copy-line'
import { NameFacts } from './name-facts'
import { Names } from './names'

export type VersionAction = 'tag' | 'alias' | 'fork' | 'revert'

interface VersionRowProps {
  id: string
  /** Of the dataset. */
  project: string
  version: Version
  names: VersionName[]
  open: boolean
  /** It is ticked to be compared. */
  chosen: boolean
  onOpen: () => void
  onChoose: () => void
  onAction: (action: VersionAction) => void
}

export function VersionRow({ id, project, version, names, open, chosen, onOpen, onChoose, onAction }: VersionRowProps) {
  const { version: number, message, author, created, added, updated, removed, labelled, erased, counts } = version
  const Chevron = open ? ChevronDown : ChevronRight
  return (
    <>
      <tr className={open ? 'open' : ''}>
        <td>
          <input type="checkbox" aria-label={`Compare v${number}`} checked={chosen} onChange={onChoose} />
        </td>
        <th scope="row">
          <button type="button" className="version-title" aria-expanded={open} onClick={onOpen}>
            <Chevron size={14} aria-hidden />v{number}
          </button>
        </th>
        <td className="version-what">
          <span className="row wrap">
            <span>{message || <span className="quiet">no message</span>}</span>
            <Names version={version} known={names} />
            {erased > 0 && (
              <Chip tone="warn" bare>
                {plural(erased, 'sample')} erased
              </Chip>
            )}
          </span>
        </td>
        <td className="quiet">
          {author}, {when(created)}
        </td>
        <Change amount={added} sign="+" />
        <Change amount={updated} sign="" />
        <Change amount={removed} sign="−" />
        <Change amount={labelled} sign="" />
        <td className="number">{count(counts.samples)}</td>
      </tr>
      {open && (
        <tr className="version-more">
          <td />
          <td colSpan={8}>
            <More id={id} project={project} version={version} names={names} onAction={onAction} />
          </td>
        </tr>
      )}
    </>
  )
}

function Change({ amount, sign }: { amount: number; sign: string }) {
  return <td className={`number ${amount === 0 ? 'quiet' : ''}`}>{amount === 0 ? '–' : `${sign}${count(amount)}`}</td>
}

interface MoreProps {
  id: string
  project: string
  version: Version
  names: VersionName[]
  onAction: (action: VersionAction) => void
}

function More({ id, project, version, names, onAction }: MoreProps) {
  const { version: number, parent, merged } = version
  const mayBuild = useMay('build', project)
  const mayReview = useMay('review', project)
  const me = useQuery(sessionQuery).data?.user.username
  return (
    <div className="stack">
      <div className="row wrap">
        <Link to="/datasets/$id" params={{ id }} search={{ v: number }} className="button little">
          Browse v{number}
        </Link>
        {parent !== null && (
          <Link to="/datasets/$id/diff" params={{ id }} search={{ from: String(parent), to: String(number) }} className="button little">
            What changed since v{parent}
          </Link>
        )}
        {mayBuild && (
          <>
            <button type="button" className="button little" onClick={() => onAction('tag')}>
              <Tag size={12} aria-hidden />
              Tag…
            </button>
            <button type="button" className="button little" onClick={() => onAction('alias')}>
              <MoveRight size={12} aria-hidden />
              Move an alias here…
            </button>
            <button type="button" className="button little" onClick={() => onAction('fork')}>
              <GitFork size={12} aria-hidden />
              Fork…
            </button>
          </>
        )}
        {parent !== null && (mayBuild || (mayReview && version.author === me)) && (
          <button type="button" className="button little" onClick={() => onAction('revert')}>
            <Undo2 size={12} aria-hidden />
            Revert…
          </button>
        )}
      </div>
      {merged && (
        <p className="small">
          Merges{' '}
          <Link to="/datasets/$id/versions" params={{ id: merged.dataset }} search={{ v: merged.version }}>
            {merged.dataset} v{merged.version}
          </Link>
        </p>
      )}
      <NameFacts id={id} project={project} names={names.filter((named) => named.version === number)} />
      <div className="version-get">
        <span className="quiet small">Fetch it with DVC; enter your token as the password</span>
        <CopyLine what="the dvc line" line={`dvc get ${window.location.origin}/datasets/${id}.git data --rev v${number}`} />
      </div>
    </div>
  )
}
