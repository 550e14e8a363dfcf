import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { UserPlus } from 'lucide-react'
import { useDeferredValue, useState } from 'react'

import { sessionQuery } from '../../shared/api/queries'
import type { Person } from '../../shared/access/types'
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
  const [persons, services] = [false, true].map((service) => people.data?.filter((one) => one.service === service) ?? []) as [Person[], Person[]]
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
      {persons.length > 0 && <PeopleTable caption="People who can sign in" people={persons} me={me?.id} />}
      {services.length > 0 && (
        <section className="stack" aria-labelledby="services">
          <h2 id="services">Service accounts</h2>
          <p className="quiet">For programs: they have tokens that expire, and can’t sign in.</p>
          <PeopleTable caption="Service accounts" people={services} me={me?.id} />
        </section>
      )}
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
