import { useQuery } from '@tanstack/react-query'

import { sessionQuery } from '../api/queries'
import { usePicked } from '../project-choice/picked'
import { may, type Right } from './roles'

/** Asks for a right in the project of a thing; without one, in the project that was picked, or in any where none was. */
export type Rights = (right: Right, project?: string) => boolean

export function useRights(): Rights {
  const user = useQuery(sessionQuery).data?.user
  const picked = usePicked()
  return (right, project) => may(user, right, project ?? picked)
}

/** Whether whoever is signed in has this right. */
export function useMay(right: Right, project?: string): boolean {
  return useRights()(right, project)
}
