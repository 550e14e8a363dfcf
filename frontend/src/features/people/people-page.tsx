import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { UserPlus } from 'lucide-react'
import { useDeferredValue, useState } from 'react'

import { sessionQuery } from '../../shared/api/queries'
import { Empty, Failure, Skeleton } from '../../shared/ui/messages'
import { AddPersonDialog } from './add-person-dialog'
import { PeopleTable } from './people-table'
import { peopleQuery } from './queries'

/** Who may sign in, and as what; only owners of the platform change it. */
export function PeoplePage() {
  const [wanted, setWanted] = useState('')
  const [adding, setAdding] = useState(false)
  const q = useDeferredValue(wanted.trim())
  const me = useQuery(sessionQuery).data?.user
  const people = useQuery(peopleQuery(q))
  return (
    <div className="page">
      <header className="page-head">
        <h1>People</h1>
        <span className="grow" />
        <input
          className="field"
          type="search"
          aria-label="Find a person"
          placeholder="Find a person"
          value={wanted}
          onChange={({ target }) => setWanted(target.value)}
        />
        <Link to="/settings/projects" className="button">
          Projects
        </Link>
        <button type="button" className="button primary" onClick={() => setAdding(true)}>
          <UserPlus size={14} aria-hidden />
          Add a person
        </button>
      </header>
      {people.isPending && <Skeleton height={160} />}
      {people.isError && !people.data && <Failure what="The people could not be loaded" error={people.error} retry={() => void people.refetch()} />}
      {people.data?.length === 0 && <Empty>Nobody has “{q}” in their name.</Empty>}
      {people.data && people.data.length > 0 && <PeopleTable people={people.data} me={me?.id} />}
      {people.data?.length === 1 && q === '' && (
        <Empty
          action={
            <button type="button" className="button" onClick={() => setAdding(true)}>
              Add an annotator
            </button>
          }
        >
          You are the only person here. Add annotators to label with you, and a reviewer to decide where they disagree.
        </Empty>
      )}
      {adding && <AddPersonDialog onClose={() => setAdding(false)} />}
    </div>
  )
}
