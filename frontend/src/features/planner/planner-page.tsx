import './planner.css'

import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'

import type { PlanExample } from '../../shared/api/types'
import { Failure, Skeleton } from '../../shared/ui/messages'
import { draftOf, emptyDraft, questionOf, readDraft, searchOf, type PlanDraft } from './draft'
import { ExampleList } from './example-list'
import { PlanForm } from './plan-form'
import { PlanTables } from './plan-tables'
import { examplesQuery, planQuery } from './queries'

/** What a fleet's data ask for; the address holds the question, so that it can be sent. */
export function PlannerPage() {
  const examples = useQuery(examplesQuery)
  return (
    <div className="page">
      <header className="page-head">
        <h1>Planner</h1>
        <p className="quiet">What a fleet’s data need: storage, training, scoring, annotators, network and money.</p>
      </header>
      {examples.isPending && <Skeleton height={320} />}
      {examples.isError && <Failure what="The examples could not be loaded" error={examples.error} retry={() => void examples.refetch()} />}
      {examples.data && <Planner examples={examples.data} />}
    </div>
  )
}

function Planner({ examples }: { examples: readonly PlanExample[] }) {
  const search = useSearch({ from: '/inside/planner' })
  const navigate = useNavigate()
  const asked = readDraft(search, examples)
  const address = JSON.stringify(search)
  const [typed, setTyped] = useState<{ at: string; draft: PlanDraft } | null>(null)
  // Another address has another draft: somebody went back, or followed a link.
  const draft = typed?.at === address ? typed.draft : asked
  const question = questionOf(asked, examples)
  const plan = useQuery({ ...planQuery(question), enabled: Object.keys(question).length > 0 })
  const [isEmpty, setEmpty] = useState(false)
  const change = (next: PlanDraft) => {
    setEmpty(false)
    setTyped({ at: address, draft: next })
  }
  const ask = (next: PlanDraft) => {
    const wanted = searchOf(next, examples)
    if (JSON.stringify(wanted) === address) void plan.refetch()
    else void navigate({ to: '/planner', search: wanted })
  }
  const send = () => {
    if (Object.keys(questionOf(draft, examples)).length > 0) ask(draft)
    else setEmpty(true)
  }
  const choose = (name: string) => {
    setEmpty(false)
    const example = examples.find((one) => one.name === name)
    ask(example ? draftOf(example) : emptyDraft)
  }
  return (
    <div className="planner">
      <PlanForm draft={draft} examples={examples} change={change} choose={choose} send={send} isEmpty={isEmpty} error={plan.error} pending={plan.isFetching} />
      <div className="stack wide-gap planner-answer">
        {Object.keys(question).length === 0 && <ExampleList examples={examples} choose={choose} />}
        {plan.isFetching && !plan.data && <Skeleton height={320} />}
        {plan.data && !plan.isError && Object.keys(question).length > 0 && <PlanTables plan={plan.data} />}
      </div>
    </div>
  )
}
