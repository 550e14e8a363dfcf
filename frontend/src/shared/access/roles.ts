import type { Role } from './types'

export const roles: readonly Role[] = ['annotator', 'reviewer', 'owner']

export const roleWords: Record<Role, string> = { annotator: 'Annotator', reviewer: 'Reviewer', owner: 'Owner' }

/** What a role may do, in one sentence. */
export const roleMeans: Record<Role, string> = {
  annotator: 'Labels, and sees their own figures.',
  reviewer: 'Labels, decides reviews, and sees everybody’s figures.',
  owner: 'Does everything: people, roles and tokens too.',
}

/** Whether this person decides reviews and sees everybody's figures. */
export function reviews(role: string | undefined): boolean {
  return role === 'owner' || role === 'reviewer'
}
