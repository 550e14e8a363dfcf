import { useMutation } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'

import { useMay } from '../../../shared/access/use-may'
import { api, take } from '../../../shared/api/client'
import type { TaskName } from '../../../shared/api/types'
import { bytes, count, plural } from '../../../shared/format/numbers'
import { Chip } from '../../../shared/ui/chip'
import { ProjectField, useProjectChoice } from '../../../shared/project-choice/project-field'
import { SelectField, TextArea, TextField } from '../../../shared/ui/fields'
import { Fault, Form } from '../../../shared/ui/form'
import { unsavedIn } from '../../../shared/ui/unsaved'
import { likelyTask, offeredFor, taskTypes } from '../../../tasktypes'
import { Conversion } from '../exchange/conversion'
import { LeftBehind } from '../exchange/left-behind'
import { NamesEncoding } from '../exchange/names-encoding'
import { tarOf } from '../exchange/tar'
import type { ArchiveOrder } from './archive-panel'
import { knownClasses, likelyClasses, mostBytes, mostFiles, type Told } from './known-classes'
import { type ChosenUpload } from './chosen'
import { classesOf, folderLabels, nameFault, type Plan } from './plan'
import type { FolderOrder } from './use-transfer'

interface DatasetFormProps {
  /** Null for a dataset that gets its images later. */
  chosen: ChosenUpload | null
  onClear: () => void
  onConvert: (on: boolean) => void
  onEncoding: (encoding: string | null) => void
  onArchive: (order: ArchiveOrder) => void
  onCreated: (order: FolderOrder) => void
}

const empty = { name: '', task: likelyTask({ folders: false, annotations: false }), text: '', description: '' }

const unlabelledFolders = 'Taken from the folders. The images come in unlabelled: a folder does not say where in an image something is.'
const classHints = {
  folders: 'Taken from the folders. If you remove a class, the images of its folder come in unlabelled.',
  annotations: 'Taken from the annotation files. You can add more later.',
  nothing: 'The classes annotators choose from. You can add more later.',
}

/** Name, task and classes of a new dataset, filled in as far as its folder tells them. */
export function DatasetForm({ chosen, onClear, onConvert, onEncoding, onArchive, onCreated }: DatasetFormProps) {
  const navigate = useNavigate()
  const plan = chosen?.plan
  // What is typed stands whatever the files say; until then the fields hold what the files say.
  const [typed, setTyped] = useState<{ name?: string; task?: TaskName; text?: string }>({})
  const [description, setDescription] = useState('')
  const told = useToldClasses(plan)
  const { source, names } = likelyClasses(plan?.folders.map(([folder]) => folder) ?? [], told.names)
  const inFolders = source === 'folders'
  const name = typed.name ?? plan?.name ?? ''
  const offered = offeredFor(inFolders)
  const chosenTask = offered.find(([value]) => value === typed.task)?.[0]
  const task = chosenTask ?? likelyTask({ folders: inFolders || told.wholeImages, annotations: plan !== undefined && plan.annotations.length > 0 })
  const text = typed.text ?? names.join('\n')
  const classes = classesOf(text)
  const project = useProjectChoice()
  // Stored bytes are shared by all projects: only owners of the platform put them there before a commit names them.
  const mayStage = useMay('administer')
  const create = useMutation({
    mutationFn: () => take(api.POST('/datasets', { body: { name, task, classes, description, ...project.part } })),
    onSuccess: async (made) => {
      if (chosen?.archive) onArchive({ dataset: made.name, archive: chosen.archive, convert: chosen.plan.convert, encoding: chosen.encoding })
      else if (plan && plan.images.length > 0 && !mayStage) onArchive({ dataset: made.name, archive: archiveOf(plan), convert: plan.convert, encoding: null })
      else if (plan && plan.images.length > 0) onCreated({ dataset: made.name, plan, message: `${plural(plan.images.length, 'image')} from a folder` })
      else await navigate({ to: '/datasets/$id', params: { id: made.name }, ignoreBlocker: true })
    },
  })
  const archive = chosen?.archive ?? null
  const ready = plan === undefined || plan.images.length > 0 || (archive !== null && chosen?.inside !== 'names are not UTF-8')
  return (
    <Form
      className="stack wide-gap"
      sending={create}
      action={archive ? 'Create it and add the archive' : plan ? `Create it with ${plural(plan.images.length, 'image')}` : 'Create it empty'}
      doing="Creating…"
      refusal={ready ? null : archive ? 'Choose the encoding of the names in the archive first.' : 'There is no image among these files.'}
      beside={!plan && <span className="quiet small">You can drop images on its page later.</span>}
      unsaved={unsavedIn(empty, { name, task, text, description })}
    >
      {chosen && <FoundFiles chosen={chosen} onClear={onClear} onConvert={onConvert} onEncoding={onEncoding} />}
      <div className="form-columns">
        <TextField name="name" label="Name" hint="Small letters, digits, dots and dashes." required maxLength={100} value={name} fault={nameFault(name)} onChange={(next) => setTyped({ ...typed, name: next })} />
        <SelectField name="task" label="Task" hint={`What annotators are asked: ${taskTypes[task].words}.`} value={task} onChange={(next) => setTyped({ ...typed, task: next })}>
          {offered.map(([value, { title }]) => (
            <option key={value} value={value}>
              {title}
            </option>
          ))}
        </SelectField>
        <ProjectField choice={project} />
        <TextField name="description" label="Description" hint="Shown in the list of datasets." maxLength={5000} value={description} onChange={setDescription} />
      </div>
      <TextArea
        name="classes"
        label={`Classes, one a line (${count(classes.length)})`}
        hint={inFolders && folderLabels(task, classes).length < classes.length ? unlabelledFolders : `${classHints[source]}${unreadWords(told)}`}
        className="create-classes"
        required
        rows={Math.min(14, Math.max(5, classes.length + 1))}
        spellCheck={false}
        value={text}
        onChange={(next) => setTyped({ ...typed, text: next })}
      />
    </Form>
  )
}

/** A folder as one archive, which the server reads like the folder. */
function archiveOf({ name, images, annotations }: Plan): File {
  return new File([tarOf([...images, ...annotations])], `${name === '' ? 'folder' : name}.tar`)
}

/** Classes that only these files name have to be typed. */
function unreadWords({ unread, faults: [fault] }: Told): string {
  if (fault !== undefined) return ` Not read for classes: ${fault}.`
  return unread === 0 ? '' : ` Not read for classes: ${plural(unread, 'annotation file')}, over ${bytes(mostBytes)} or beyond the first ${count(mostFiles)}. Add what only these name.`
}

const nothing: Told = { names: [], wholeImages: false, unread: 0, faults: [] }

/** Classes that the annotation files of a folder tell; none until they are read. */
function useToldClasses(plan: Plan | undefined): Told {
  const [told, setTold] = useState<Told>(nothing)
  useEffect(() => {
    let wanted = true
    if (plan) void knownClasses(plan.annotations).then((found) => wanted && setTold(found))
    return () => {
      wanted = false
    }
  }, [plan])
  return told
}

type FoundFilesProps = Pick<DatasetFormProps, 'onClear' | 'onConvert' | 'onEncoding'> & { chosen: ChosenUpload }

function FoundFiles({ chosen: { plan, bytes: size, left, convertible, archive, inside, encoding }, onClear, onConvert, onEncoding }: FoundFilesProps) {
  const listed = Array.isArray(inside)
  return (
    <section className="panel" aria-labelledby="found">
      <div className="panel-head">
        <h2 id="found" className="grow">
          Found: {archive && `the archive ${archive.name}`}
          {archive && listed && ' with '}
          {(!archive || listed) && plural(plan.images.length, 'image')}
          {plan.annotations.length > 0 && ` and ${plural(plan.annotations.length, 'annotation file')}`}, {bytes(size)}
        </h2>
        <button type="button" className="button little" onClick={onClear}>
          Choose another
        </button>
      </div>
      <div className="panel-body stack">
        {archive && (
          <p>
            {inside === null && 'Its files are being listed; you need not wait for that. '}
            {inside === 'names are not UTF-8' && 'The names of its files are not UTF-8: choose their encoding. '}
            {inside === 'can’t be listed' && 'This page can’t list its files: name the classes below. '}
            Folders in the archive with the names of classes become labels, and its annotation files are read.
            {listed && plan.images.length === 0 && ' No file in it is named like a JPEG, PNG or WebP image.'}
          </p>
        )}
        {archive && (encoding !== null || inside === 'names are not UTF-8') && <NamesEncoding value={encoding} onChange={onEncoding} />}
        {plan.images.length === 0 && !archive && <Fault>There is no image among these files. Add JPEG, PNG or WebP files.</Fault>}
        {plan.folders.length > 0 && (
          <ul className="found-folders" aria-label="Folders">
            {plan.folders.map(([folder, images]) => (
              <li key={folder}>
                <Chip bare>
                  {folder} {count(images)}
                </Chip>
              </li>
            ))}
          </ul>
        )}
        {!archive && <LeftBehind files={left} />}
        {(archive ?? convertible > 0) && <Conversion on={plan.convert} onChange={onConvert} />}
      </div>
    </section>
  )
}
