import './canvas.css'
import './input/coarse.css'

import { useEffect, useState } from 'react'

import type { Queue } from '../../../shared/api/types'
import { later } from '../../../shared/ui/later'
import { AtEnd } from '../at-end'
import { Notice } from '../notice'
import { NothingNow } from '../nothing-now'
import { isComplete } from '../progress'
import { offeredClasses } from '../queue-kind'
import { useLabelSession } from '../use-label-session'
import { WorkspaceHead } from '../workspace-head'
import { newPreferences, type EditorPreferences } from './core/editor-preferences'
import { forgetOld } from './draft-store'
import { type DialogName, NoDrawing } from './drawing'
import { useDrawingOrder } from './drawing-order'
import { OnImage } from './on-image'
import { skipImage } from './use-submit'

const FlagDialog = later(async () => (await import('../flag-dialog')).FlagDialog)
const SkipDialog = later(async () => (await import('../skip-dialog')).SkipDialog)

/** Boxes and polygons: drawn by hand, or suggested by a model and confirmed. */
export function CanvasWorkspace({ queue }: { queue: Queue }) {
  const [session, state] = useLabelSession(queue)
  const [dialog, setDialog] = useState<DialogName | null>(null)
  const [preferences] = useState(() => preferencesFor(queue))
  const [order] = useDrawingOrder()
  useEffect(() => {
    // The editors of all images read it there.
    Object.assign(preferences, { order: order ?? 'draw-first' })
  }, [preferences, order])
  useEffect(() => forgetOld(), [])
  const closed = queue.state === 'committed'
  const leasedTask = closed ? undefined : session.shown()
  const finished = !leasedTask && (closed || (state.phase !== 'failed' && isComplete(queue)))
  return (
    <div className="workspace">
      <WorkspaceHead queue={queue} />
      <Notice session={session} state={state} />
      {finished && <AtEnd queue={queue} fill={() => void session.fill()} />}
      {!leasedTask && !finished && <NothingNow fill={() => void session.fill()} state={state} queue={queue} />}
      {leasedTask ? (
        <OnImage queue={queue} session={session} state={state} leasedTask={leasedTask} preferences={preferences} onDialog={setDialog} />
      ) : (
        <NoDrawing queue={queue} session={session} state={state} closed={closed} />
      )}
      {leasedTask && dialog === 'skipReason' && (
        <SkipDialog reasons={queue.skip_reasons} onSkip={(reason) => skipImage(session, leasedTask, reason)} onClose={() => setDialog(null)} />
      )}
      {leasedTask && dialog === 'flag' && <FlagDialog flag={session.flagOf(leasedTask)} onFlag={(note) => session.flag(note)} onClose={() => setDialog(null)} />}
    </div>
  )
}

/** Where nothing is suggested, the first thing to do is to draw. */
function preferencesFor(queue: Queue): EditorPreferences {
  return newPreferences(offeredClasses(queue)[0]?.name ?? '', queue.kind === 'polygons' ? 'polygon' : 'box')
}
