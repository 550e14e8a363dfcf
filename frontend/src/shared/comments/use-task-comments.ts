import { useQuery } from '@tanstack/react-query'
import { useEffect, useEffectEvent, useState } from 'react'

import { commentsOf } from './queries'
import type { Comment, Place } from './types'

interface Draft {
  text: string
  place: Place | null
}

/** The comments of the task that is shown, with what is being written: all that the panel and the pins need. */
export interface CommentsOfTask {
  task: number
  comments: Comment[]
  people: string[]
  /** How many are open. */
  open: number
  /** How many others wrote that show once this task is answered. */
  hidden: number
  isPending: boolean
  error: unknown
  retry: () => void
  /** They can't be folded. */
  stays: boolean
  shown: boolean
  show: (shown: boolean) => void
  /** Shows them, with the focus in the text box. */
  write: () => void
  /** Grows with each `write`. */
  asked: number
  draft: Draft
  setDraft: (change: Partial<Draft>) => void
  /** How many comments are begun and not sent, of all images that were shown. */
  unsent: number
  /** Where the crosshair is while a place is chosen, else null. */
  placing: Place | null
  setPlacing: (at: Place | null) => void
  settle: (at: Place) => void
}

/** A task with what is known of its comments before they are read. */
export interface CommentedTask {
  id: number
  /** How many are open. */
  comments?: number
  comments_hidden?: number
}

const plain: Draft = { text: '', place: null }
const middle: Place = { x: 0.5, y: 0.5 }
const none: never[] = []
/** No task is shown. */
const nobody: CommentedTask = { id: 0, comments: 0 }
const [step, farStep] = [0.01, 0.1]

/**
 * Where a task is known to have no open `comments`, nothing is read until somebody looks. What is written about one image is
 * kept while another is shown.
 */
export function useTaskComments(of: CommentedTask | undefined, { stays = false } = {}): CommentsOfTask {
  const { id: task, comments: counted, comments_hidden: kept } = of ?? nobody
  const [wanted, setWanted] = useState<boolean | null>(null)
  const [asked, setAsked] = useState(0)
  const [drafts, setDrafts] = useState<Partial<Record<number, Draft>>>({})
  const [crosshair, setCrosshair] = useState<{ task: number; at: Place } | null>(null)
  const query = useQuery({ ...commentsOf(task), enabled: of !== undefined && (wanted === true || counted !== 0) })
  const comments = query.data?.comments ?? none
  const open = query.data ? comments.filter(isOpen).length : (counted ?? 0)
  const shown = stays || (wanted ?? open > 0)
  const draft = drafts[task] ?? plain
  const placing = shown && crosshair?.task === task ? crosshair.at : null
  const setDraft = (change: Partial<Draft>) => setDrafts((before) => ({ ...before, [task]: { ...(before[task] ?? plain), ...change } }))
  const setPlacing = (at: Place | null) => setCrosshair(at && { task, at })
  const settle = (at: Place) => {
    setDraft({ place: at })
    setPlacing(null)
    setAsked((times) => times + 1)
  }
  usePlacingKeys(placing, setPlacing, settle)
  return {
    task,
    comments,
    people: query.data?.people ?? none,
    open,
    hidden: query.data?.hidden ?? kept ?? 0,
    isPending: query.isLoading,
    error: query.data ? null : query.error,
    retry: () => void query.refetch(),
    stays,
    shown,
    show: setWanted,
    write: () => {
      setWanted(true)
      setAsked(asked + 1)
    },
    asked,
    draft,
    setDraft,
    unsent: Object.values(drafts).filter((each) => each !== undefined && each.text.trim() !== '').length,
    placing,
    setPlacing,
    settle,
  }
}

export function isOpen({ resolved_at }: Comment): boolean {
  return resolved_at === null
}

export function startPlacing({ draft, setPlacing }: CommentsOfTask): void {
  setPlacing(draft.place ?? middle)
}

/** While a place is chosen, arrows move the crosshair, Enter takes it and Escape gives up: before anything else gets the key. */
function usePlacingKeys(placing: Place | null, setPlacing: (at: Place | null) => void, settle: (at: Place) => void): void {
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (placing === null) return
    const after = moved(placing, event)
    if (event.key === 'Escape') setPlacing(null)
    else if (event.key === 'Enter') settle(placing)
    else if (after) setPlacing(after)
    else return
    event.preventDefault()
    event.stopPropagation()
  })
  const isPlacing = placing !== null
  useEffect(() => {
    if (!isPlacing) return
    const listener = (event: KeyboardEvent) => onKey(event)
    window.addEventListener('keydown', listener, { capture: true })
    return () => window.removeEventListener('keydown', listener, { capture: true })
  }, [isPlacing])
}

function moved({ x, y }: Place, { key, shiftKey }: KeyboardEvent): Place | null {
  const by = shiftKey ? farStep : step
  if (key === 'ArrowLeft') return within(x - by, y)
  if (key === 'ArrowRight') return within(x + by, y)
  if (key === 'ArrowUp') return within(x, y - by)
  return key === 'ArrowDown' ? within(x, y + by) : null
}

/** The nearest place on the image, to a ten-thousandth. */
export function within(x: number, y: number): Place {
  const held = (value: number) => Math.round(Math.min(1, Math.max(0, value)) * 10_000) / 10_000
  return { x: held(x), y: held(y) }
}
