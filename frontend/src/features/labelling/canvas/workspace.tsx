import './canvas.css'

import { useEffect, useState } from 'react'

import type { Queue } from '../../../shared/api/types'
import { Finished } from '../finished'
import { HelpDialog } from '../help-dialog'
import { Notice } from '../notice'
import { NothingNow } from '../nothing-now'
import { kindOf } from '../queue-kind'
import { useDesk } from '../use-desk'
import { isComplete, newestCounts, WorkspaceHead } from '../workspace-head'
import { newTray, type Tray } from './core/tray'
import { forgetOld } from './draft-store'
import { Drawing, NoDrawing } from './drawing'
import { schemaClasses } from './paint/marks'

/** Boxes and polygons: drawn by hand, or suggested by a model and confirmed. */
export function CanvasWorkspace({ queue }: { queue: Queue }) {
  const [desk, state] = useDesk(queue)
  const [help, setHelp] = useState(false)
  const [tray] = useState(() => trayFor(queue))
  useEffect(() => forgetOld(), [])
  const closed = queue.state === 'committed'
  const seat = closed ? undefined : desk.shown()
  const counts = newestCounts(queue.counts, state)
  const finished = !seat && (closed || (state.phase !== 'failed' && isComplete(queue, counts)))
  const onHelp = () => setHelp(true)
  return (
    <div className="workspace">
      <WorkspaceHead queue={queue} counts={counts} onHelp={onHelp} />
      <Notice desk={desk} state={state} />
      {finished && <Finished queue={queue} counts={counts} />}
      {!seat && !finished && <NothingNow desk={desk} state={state} counts={counts} />}
      {seat ? (
        <Drawing queue={queue} desk={desk} state={state} seat={seat} tray={tray} onHelp={onHelp} />
      ) : (
        <NoDrawing queue={queue} desk={desk} state={state} closed={closed} onHelp={onHelp} />
      )}
      <HelpDialog open={help} onClose={() => setHelp(false)} scope="canvas" />
    </div>
  )
}

/** Where nothing is suggested, the first thing to do is to draw. */
function trayFor(queue: Queue): Tray {
  return newTray(schemaClasses(queue)[0]?.name ?? '', kindOf(queue) === 'polygons' ? 'polygon' : 'box')
}
