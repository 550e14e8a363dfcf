import type { Role } from './types'

export const roles: readonly Role[] = ['annotator', 'reviewer', 'owner']

export const roleWords: Record<Role, string> = { annotator: 'Annotator', reviewer: 'Reviewer', owner: 'Owner' }

/** What a role may do, in one sentence. */
export const roleMeans: Record<Role, string> = {
  annotator: 'Labels, and sees their own statistics.',
  reviewer: 'Labels, decides reviews, works with datasets, models and pipelines.',
  owner: 'Does everything, including people, roles and tokens.',
}

/** Whether this role is the least one that is asked for, or a greater one. */
export function isAtLeast(role: string | undefined, least: Role): boolean {
  return roles.indexOf(role as Role) >= roles.indexOf(least)
}

/** Whether this person decides reviews and sees everybody's figures. */
export function reviews(role: string | undefined): boolean {
  return isAtLeast(role, 'reviewer')
}
