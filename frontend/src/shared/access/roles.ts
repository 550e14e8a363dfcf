import type { Person, Role } from './types'

/** From the one who may do most; neither of the last two may do what the other may. */
export const roles: readonly Role[] = ['owner', 'engineer', 'reviewer', 'annotator', 'viewer']

export const roleWords: Record<Role, string> = { owner: 'Owner', engineer: 'Engineer', reviewer: 'Reviewer', annotator: 'Annotator', viewer: 'Viewer' }

/** What a role may do in a project, in one sentence. */
export const roleMeans: Record<Role, string> = {
  owner: 'Does everything in the project, including members and deletion.',
  engineer: 'Does what a reviewer does, and works with datasets, models and pipelines.',
  reviewer: 'Reads everything, labels, decides reviews, and runs the queues.',
  annotator: 'Labels, and sees their own statistics.',
  viewer: 'Reads everything, labels nothing and changes nothing.',
}

/** What an owner of the platform may do, in one sentence. */
export const platformOwnerMeans = 'Does everything in every project, including people, projects and tokens.'

/** What a page or a button asks of somebody, in the project that it is about. */
export type Right = 'see' | 'read' | 'label' | 'review' | 'build' | 'own' | 'administer'

const granted: Record<Right, readonly Role[]> = {
  see: roles,
  read: ['owner', 'engineer', 'reviewer', 'viewer'],
  label: ['owner', 'engineer', 'reviewer', 'annotator'],
  review: ['owner', 'engineer', 'reviewer'],
  build: ['owner', 'engineer'],
  own: ['owner'],
  // Of the platform: no role in a project is enough.
  administer: [],
}

export type Standing = Pick<Person, 'role' | 'projects'>

/** Owners of the platform are in no project: they may do everything in all. */
export function ownsPlatform({ role, projects }: Standing): boolean {
  return role === 'owner' && projects.length === 0
}

/** Whether somebody has a right in this project, or, where none is named, in some project. */
export function may(who: Standing | undefined, right: Right, project: string | null): boolean {
  if (who === undefined) return false
  // Everybody sees their own pages, also before they are in a project.
  if (ownsPlatform(who) || (right === 'see' && project === null)) return true
  return who.projects.some((one) => (project === null || one.project === project) && granted[right].includes(one.role))
}

/** `an engineer`, `a viewer` */
export function aRole(role: Role): string {
  return `${/^[aeo]/.test(role) ? 'an' : 'a'} ${role}`
}

/** `engineer in roads, viewer in rail` */
export function standingWords(who: Standing): string {
  if (ownsPlatform(who)) return 'owner of the platform'
  return who.projects.length === 0 ? 'in no project yet' : who.projects.map(({ project, role }) => `${role} in ${project}`).join(', ')
}
