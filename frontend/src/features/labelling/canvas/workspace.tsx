import './canvas.css'

import { useEffect, useState } from 'react'

import type { Queue } from '../../../shared/api/types'
import { Finished } from '../finished'
import { FlagDialog } from '../flag-dialog'
import { Notice } from '../notice'
import { NothingNow } from '../nothing-now'
import { isComplete } from '../progress'
import { offeredClasses } from '../queue-kind'
import { SkipDialog } from '../skip-dialog'
import { useDesk } from '../use-desk'
import { WorkspaceHead } from '../workspace-head'
import { newTray, type Tray } from './core/tray'
import { forgetOld } from './draft-store'
import { type DialogName, Drawing, NoDrawing } from './drawing'
import { skipImage } from './use-submit'

/** Boxes and polygons: drawn by hand, or suggested by a model and confirmed. */
export function CanvasWorkspace({ queue }: { queue: Queue }) {
  const [desk, state] = useDesk(queue)
  const [dialog, setDialog] = useState<DialogName | null>(null)
  const [tray] = useState(() => trayFor(queue))
  useEffect(() => forgetOld(), [])
  const closed = queue.state === 'committed'
  const seat = closed ? undefined : desk.shown()
  const finished = !seat && (closed || (state.phase !== 'failed' && isComplete(queue)))
  return (
    <div className="workspace">
      <WorkspaceHead queue={queue} />
      <Notice desk={desk} state={state} />
      {finished && <Finished queue={queue} fill={() => void desk.fill()} />}
      {!seat && !finished && <NothingNow fill={() => void desk.fill()} state={state} queue={queue} />}
      {seat ? (
        <Drawing queue={queue} desk={desk} state={state} seat={seat} tray={tray} onDialog={setDialog} />
      ) : (
        <NoDrawing queue={queue} desk={desk} state={state} closed={closed} />
      )}
      {seat && dialog === 'skipReason' && (
        <SkipDialog reasons={queue.skip_reasons} onSkip={(reason) => skipImage(desk, seat, reason)} onClose={() => setDialog(null)} />
      )}
      {seat && dialog === 'flag' && <FlagDialog flag={desk.flagOf(seat)} onFlag={(note) => desk.flag(note)} onClose={() => setDialog(null)} />}
    </div>
  )
}

/** Where nothing is suggested, the first thing to do is to draw. */
function trayFor(queue: Queue): Tray {
  return newTray(offeredClasses(queue)[0]?.name ?? '', queue.kind === 'polygons' ? 'polygon' : 'box')
}
