import { usePicked } from './picked'

/** Says that there are none of these: in the picked project, where one is picked. */
export function NoneYet({ of }: { of: string }) {
  const picked = usePicked()
  return `No ${of}${picked === null ? '' : ` in the project ${picked}`} yet.`
}
