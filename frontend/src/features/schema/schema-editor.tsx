import '../../shared/classes/classes.css'
import '../../shared/ui/form.css'
import './editor.css'

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useState } from 'react'

import { useMay } from '../../shared/access/use-may'
import { isStatus } from '../../shared/api/errors'
import { modelsList, pipelinesList } from '../../shared/api/lists'
import { useList } from '../../shared/lists/pages'
import type { Dataset } from '../../shared/api/types'
import { plural } from '../../shared/format/numbers'
import { GuidelinePanel } from '../../shared/classes/guideline-panel'
import type { SchemaWithHistory } from '../../shared/classes/types'
import { schemaQuery } from '../../shared/classes/queries'
import { TextArea } from '../../shared/ui/fields'
import { Form, FormFault } from '../../shared/ui/form'
import { Failure, Skeleton } from '../../shared/ui/messages'
import { toast } from '../../shared/ui/toast-store'
import { AddClass } from './add-class'
import { ClassRows, SafeColours } from './class-rows'
import { Conflict } from './conflict'
import { changes, type Draft, draftOf, withClass } from './draft'
import { HistoryPanel } from './history-panel'
import { saveSchema } from './queries'
import { areOthers, stoppedWords } from './stopped'

export function SchemaEditor({ dataset }: { dataset: Dataset }) {
  const schema = useQuery(schemaQuery(dataset.name))
  if (schema.isPending) return <div className="page" aria-busy><Skeleton height={320} /></div>
  if (!schema.data) {
    return (
      <div className="page">
        <Failure what="The label schema could not be loaded" error={schema.error} retry={() => void schema.refetch()} />
      </div>
    )
  }
  return <Editor dataset={dataset} newest={schema.data} />
}

interface Work {
  /** The version that the draft changes. */
  base: SchemaWithHistory
  draft: Draft
}

function Editor({ dataset, newest }: { dataset: Dataset; newest: SchemaWithHistory }) {
  const client = useQueryClient()
  const decides = useMay('build', dataset.project)
  const [work, setWork] = useState<Work | null>(null)
  const [message, setMessage] = useState('')
  const { base, draft } = work ?? { base: newest, draft: draftOf(newest) }
  const set = (next: Draft) => setWork({ base, draft: next })
  const save = useMutation({
    mutationFn: () => saveSchema(dataset.name, draft, { parent: base.version, message }),
    onSuccess: async (saved) => {
      client.setQueryData(schemaQuery(dataset.name).queryKey, saved)
      setWork(null)
      setMessage('')
      toast('plain', `Saved as version ${saved.version} of the schema`)
      await Promise.all(['datasets', 'queues'].map((noun) => client.invalidateQueries({ queryKey: [noun] })))
    },
    onError: (error) => {
      if (isStatus(error, 409)) void client.invalidateQueries({ queryKey: schemaQuery(dataset.name).queryKey })
    },
  })
  const said = changes(draftOf(base), draft)
  const overtaken = newest.version > base.version
  const adopt = (next: Draft | null) => {
    setWork(next && { base: newest, draft: next })
    save.reset()
  }
  return (
    <div className="page schema-page">
      <Form className="stack wide-gap" aria-label={`Label schema of ${dataset.name}`} sending={{ error: overtaken ? null : save.error, isPending: save.isPending }} onSend={() => save.mutate()} refusal={overtaken ? 'Somebody saved another version meanwhile: choose above whose changes stay.' : null} unsaved={said.length}>
        {overtaken && <Conflict base={base} theirs={newest} mine={draft} onTake={adopt} />}
        {!decides && <p className="message">Engineers and owners change the classes. You can read them here.</p>}
        <fieldset className="stack wide-gap bare" disabled={!decides}>
          <Common draft={draft} onChange={set} />
          <SafeColours />
          <section className="panel" aria-labelledby="classes">
            <div className="panel-head">
              <h2 id="classes" className="grow">
                Classes
              </h2>
              <span className="quiet small">A class keeps its key; adding a class changes no other key.</span>
            </div>
            <ClassRows dataset={dataset.name} saved={draftOf(base)} draft={draft} onChange={set} />
            <AddClass draft={draft} onAdd={(name) => set(withClass(draft, name))} />
          </section>
        </fieldset>
        {said.length > 0 && (
          <SaveBar
            said={said}
            message={message}
            onMessage={setMessage}
            saving={save.isPending}
            next={base.version + 1}
            onDiscard={() => adopt(null)}
          >
            {areOthers(draftOf(base), draft) && <Stopped dataset={dataset} />}
          </SaveBar>
        )}
      </Form>
      <aside className="stack wide-gap">
        <Preview draft={draft} />
        <HistoryPanel dataset={dataset.name} schema={newest} />
      </aside>
    </div>
  )
}

function Common({ draft, onChange }: { draft: Draft; onChange: (draft: Draft) => void }) {
  return (
    <section className="panel panel-body">
      <TextArea
        label="Guideline for every image"
        hint="Shown beside the image while labelling. Start a line with - for a list item; **stars** make text bold."
        rows={3}
        maxLength={4000}
        value={draft.guideline}
        onChange={(guideline) => onChange({ ...draft, guideline })}
      />
    </section>
  )
}

function Preview({ draft }: { draft: Draft }) {
  const written = draft.guideline !== '' || draft.classes.some(({ guideline, examples }) => guideline !== '' || examples.length > 0)
  return (
    <section className="panel panel-body" aria-label="What annotators see">
      {written ? (
        <GuidelinePanel schema={draft} />
      ) : (
        <p className="quiet">Write a guideline or add example pictures to see here what annotators will see beside each image.</p>
      )}
    </section>
  )
}

interface SaveBarProps {
  said: string[]
  message: string
  onMessage: (message: string) => void
  saving: boolean
  /** The number that saving makes. */
  next: number
  onDiscard: () => void
  /** What to know before saving. */
  children: ReactNode
}

function SaveBar({ said, message, onMessage, saving, next, onDiscard, children }: SaveBarProps) {
  return (
    <section className="panel panel-body save-bar" aria-label="Save">
      {children}
      <FormFault />
      <div className="row wrap">
        <div className="stack grow" role="status">
          <details>
            <summary>{plural(said.length, 'unsaved change')}</summary>
            <ul className="small quiet">
              {said.map((line) => (
                <li key={line}>{line}</li>
              ))}
            </ul>
          </details>
        </div>
        <input
          className="field grow"
          aria-label="Why"
          placeholder="Why (kept in the history)"
          maxLength={500}
          value={message}
          onChange={({ target }) => onMessage(target.value)}
        />
        <button type="button" className="button" onClick={onDiscard}>
          Discard
        </button>
        <button type="submit" className="button primary" disabled={saving}>
          {saving ? 'Saving…' : `Save as version ${next}`}
        </button>
      </div>
    </section>
  )
}

/** The work that saving would end, told before it does. */
function Stopped({ dataset }: { dataset: Dataset }) {
  const pipelines = useList(pipelinesList(null, { dataset: dataset.name }))
  const models = useList(modelsList(null, { dataset: dataset.name }))
  const words = stoppedWords({ pipelines, models })
  return (
    words && (
      <p className="stopped small" role="status">
        {words}
      </p>
    )
  )
}
