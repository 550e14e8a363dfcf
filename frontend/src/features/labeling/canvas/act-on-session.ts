import type { LabelSession } from '../label-session'
import { takeBack } from './use-submit'

/** What goes from one image to another; false when the action does not. */
export function actOnSession(action: string, session: LabelSession): boolean {
  if (action === 'undo') takeBack(session)
  else if (action === 'back') session.look(1)
  else if (action === 'forward') session.look(-1)
  else return false
  return true
}
