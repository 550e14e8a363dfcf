import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { UserPlus } from 'lucide-react'
import { useState } from 'react'

import { peopleList } from '../../shared/api/lists'
import { sessionQuery } from '../../shared/api/queries'
import type { Person } from '../../shared/access/types'
import { MoreRows } from '../../shared/lists/more-rows'
import { useList } from '../../shared/lists/pages'
import { SearchBox } from '../../shared/lists/search-box'
import { Empty, Failure, Skeleton } from '../../shared/ui/messages'
import { AddPersonDialog } from './add-person-dialog'
import { PeopleTable } from './people-table'

/** Who may sign in, and as what; only owners of the platform change it. */
export function PeoplePage() {
  const { q } = useSearch({ from: '/inside/people' })
  const [adding, setAdding] = useState(false)
  const me = useQuery(sessionQuery).data?.user
  const people = useList(peopleList({ q }))
  const [persons, services] = [false, true].map((service) => people.rows?.filter((one) => one.service === service) ?? []) as [Person[], Person[]]
  return (
    <div className="page">
      <header className="page-head">
        <h1>People</h1>
        <span className="grow" />
        <SearchBox label="Find a person" placeholder="Find a person" />
        <Link to="/settings/projects" className="button">
          Projects
        </Link>
        <button type="button" className="button primary" onClick={() => setAdding(true)}>
          <UserPlus size={14} aria-hidden />
          Add a person
        </button>
      </header>
      {!people.rows && people.error === null && <Skeleton height={160} />}
      {!people.rows && people.error !== null && <Failure what="The people could not be loaded" error={people.error} retry={people.retry} />}
      {people.rows?.length === 0 && <Empty>Nobody has “{q}” in their name.</Empty>}
      {persons.length > 0 && <PeopleTable caption="People who can sign in" people={persons} me={me?.id} />}
      {services.length > 0 && (
        <section className="stack" aria-labelledby="services">
          <h2 id="services">Service accounts</h2>
          <p className="quiet">For programs: they have tokens that expire, and can’t sign in.</p>
          <PeopleTable caption="Service accounts" people={services} me={me?.id} />
        </section>
      )}
      <MoreRows noun="people" reading={people} />
      {people.rows?.length === 1 && q === undefined && (
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
