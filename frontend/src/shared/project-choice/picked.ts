import { useQuery } from '@tanstack/react-query'
import { useSyncExternalStore } from 'react'

import { sessionQuery } from '../api/queries'
import { loadPreference, onAdopted, savePreference } from '../preferences/preferences'
import { projectQuery, projectsQuery } from './queries'

const preference = 'project'
const listeners = new Set<() => void>()

function announce(): void {
  for (const listener of listeners) listener()
}
onAdopted(announce)

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function stored(): string | null {
  const name = loadPreference(preference)
  return typeof name === 'string' ? name : null
}

/** From now on the lists show this project alone; null: all of them. */
export function pickProject(name: string | null): void {
  savePreference(preference, name)
  announce()
}

export interface KnownProjects {
  /** Those that somebody has a role in; an owner of the platform needs none. */
  theirs: readonly string[]
  /** Whether there is anything to choose: with one project, nothing is shown of it. */
  several: boolean
  /** What the lists are of; null: all that somebody is in. */
  picked: string | null
}

export function useProjects(): KnownProjects {
  const theirs = (useQuery(sessionQuery).data?.user.projects ?? []).map(({ project }) => project)
  const { data: newest, isPending } = useQuery(projectsQuery)
  const wanted = useSyncExternalStore(subscribe, stored)
  const names = newest?.results.map(({ name }) => name) ?? theirs
  const several = names.length > 1
  const isOlder = wanted !== null && newest != null && newest.next !== null && !names.includes(wanted)
  const older = useQuery({ ...projectQuery(wanted ?? ''), enabled: isOlder })
  const isThere = isOlder ? !older.isError : several && wanted !== null && names.includes(wanted)
  // An owner of the platform has no list before the first answer; what they picked last is asked for at once.
  const known = isThere || (isPending && theirs.length === 0)
  return { theirs, several, picked: known ? wanted : null }
}

/** The project that lists are of; null: all. */
export function usePicked(): string | null {
  return useProjects().picked
}
