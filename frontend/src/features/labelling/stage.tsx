import { useEffect, useRef, useState } from 'react'

import type { LabelTask } from '../../shared/api/types'

export interface View {
  brightness: number
  contrast: number
  zoom: boolean
}

export const plainView: View = { brightness: 1, contrast: 1, zoom: false }

/** Images smaller than this are shown in whole, sharp pixels: smoothing would invent what is not there. */
const tiny = 128
const padding = 24
const retryAfter = 2_000

interface StageProps {
  task: LabelTask
  view: View
  onView: (view: View) => void
}

export function Stage({ task, view, onView }: StageProps) {
  const host = useRef<HTMLDivElement>(null)
  const room = useRoom(host)
  const { failed, attempt, onError, onLoad } = useRetriedImage()
  const { key } = task.sample
  // An image whose size nobody measured is shown as large as there is room.
  const { width, height } = { width: task.sample.width ?? 640, height: task.sample.height ?? 480 }
  const scale = fitted(width, height, room) * (view.zoom ? 2 : 1)
  const changed = view.brightness !== 1 || view.contrast !== 1 || view.zoom
  return (
    <div className="stage" ref={host}>
      {failed && (
        <p className="stage-failed" role="alert">
          This image could not be loaded; trying again. Skip it (S) if it stays away.
        </p>
      )}
      <div className="stage-scroll" hidden={failed}>
        <img
          key={attempt}
          src={task.url}
          alt={`Sample ${key}`}
          width={Math.round(width * scale)}
          height={Math.round(height * scale)}
          className={Math.max(width, height) <= tiny ? 'pixels' : ''}
          style={{ filter: `brightness(${view.brightness}) contrast(${view.contrast})` }}
          onError={onError}
          onLoad={onLoad}
        />
      </div>
      <div className="stage-facts">
        <span className="cut mono">{key}</span>
        <span>
          {width} × {height} px
        </span>
        {changed && (
          <button type="button" className="stage-reset" onClick={() => onView(plainView)}>
            Brightness {view.brightness} · contrast {view.contrast}
            {view.zoom && ' · zoomed'}: reset
          </button>
        )}
      </div>
    </div>
  )
}

/** An image that failed to load is asked for again every few seconds: the server may only be restarting. */
function useRetriedImage() {
  const [failed, setFailed] = useState(false)
  const [attempt, setAttempt] = useState(0)
  useEffect(() => {
    if (!failed) return
    const timer = setTimeout(() => setAttempt(attempt + 1), retryAfter)
    return () => clearTimeout(timer)
  }, [failed, attempt])
  return { failed, attempt, onError: () => setFailed(true), onLoad: () => setFailed(false) }
}

/** Tiny images grow by a whole factor, large ones shrink to fit. */
function fitted(width: number, height: number, room: { width: number; height: number }): number {
  const most = Math.min((room.width - 2 * padding) / width, (room.height - 2 * padding) / height)
  if (Math.max(width, height) > tiny) return Math.min(most, 4)
  return Math.max(1, Math.floor(Math.min(most, 640 / Math.max(width, height))))
}

function useRoom(host: { current: HTMLDivElement | null }): { width: number; height: number } {
  const [room, setRoom] = useState({ width: 640, height: 480 })
  useEffect(() => {
    const element = host.current
    if (!element) return
    const observer = new ResizeObserver(() => setRoom({ width: element.clientWidth, height: element.clientHeight - 32 }))
    observer.observe(element)
    return () => observer.disconnect()
  }, [host])
  return room
}
