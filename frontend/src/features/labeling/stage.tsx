import { type Dispatch, type RefObject, type SetStateAction, useEffect, useEffectEvent, useRef, useState } from 'react'

import type { TaskFacts } from '../../shared/api/types'
import { PinLayer } from '../../shared/comments/pin-layer'
import type { CommentsOfTask } from '../../shared/comments/use-task-comments'
import { useStagePointer } from './stage-pointer'
import { fitted, plainView, type StageSize, tiny, type ImageView, zoomed } from './view'

const retryAfter = 2_000
const wheelStep = 1.0015

interface StageProps {
  task: TaskFacts
  view: ImageView
  onView: Dispatch<SetStateAction<ImageView>>
  comments: CommentsOfTask
}

/** The image: wheel and two fingers zoom at the cursor and between them, dragging moves it. */
export function Stage({ task, view, onView, comments }: StageProps) {
  const host = useRef<HTMLDivElement>(null)
  const room = useRoom(host)
  const { failed, attempt, onError, onLoad } = useRetriedImage()
  // An image whose size nobody measured is shown as large as there is room.
  const natural = { width: task.sample.width ?? 640, height: task.sample.height ?? 480 }
  const fit = fitted(natural, room)
  const scale = fit * view.scale
  const size = { width: Math.round(natural.width * scale), height: Math.round(natural.height * scale) }
  const translate = `calc(-50% + ${view.x}px) calc(-50% + ${view.y}px)`
  const pointer = useStagePointer(onView, { width: natural.width * fit, height: natural.height * fit })
  useWheelZoom(host, (factor, at) => onView((before) => zoomed(before, factor, at)))
  return (
    <div className="stage" ref={host}>
      {failed && (
        <p className="stage-failed" role="alert">
          This image could not be loaded; trying again. Skip it (S) if it does not appear.
        </p>
      )}
      <div className="stage-scroll" hidden={failed} data-movable={view.scale > 1 || undefined} {...pointer}>
        <img
          key={attempt}
          src={task.url}
          alt={`Sample ${task.sample.key}`}
          {...size}
          decoding="sync"
          draggable={false}
          className={Math.max(natural.width, natural.height) <= tiny ? 'pixels' : ''}
          style={{ filter: filterOf(view), translate }}
          onError={onError}
          onLoad={onLoad}
        />
        <PinLayer of={comments} style={{ ...size, top: '50%', left: '50%', translate }} />
      </div>
      <StageFacts name={task.sample.key} size={natural} view={view} onView={onView} />
    </div>
  )
}

function filterOf({ brightness, contrast }: ImageView): string | undefined {
  return brightness === 1 && contrast === 1 ? undefined : `brightness(${brightness}) contrast(${contrast})`
}

function StageFacts({ name, size, view, onView }: { name: string; size: StageSize; view: ImageView; onView: (view: ImageView) => void }) {
  const words = [
    view.brightness !== 1 && `brightness ${view.brightness}`,
    view.contrast !== 1 && `contrast ${view.contrast}`,
    view.scale !== 1 && `zoom ${Math.round(view.scale * 10) / 10}×`,
  ].filter((word) => word !== false)
  return (
    <div className="stage-facts">
      <span className="cut mono">{name}</span>
      <span>
        {size.width} × {size.height} px
      </span>
      {words.length > 0 && (
        <button type="button" className="stage-reset" onClick={() => onView(plainView)}>
          {words.join(' · ')}: reset
        </button>
      )}
    </div>
  )
}

/** The page must not scroll under a zoom, which only a listener that is not passive can prevent. */
function useWheelZoom(host: RefObject<HTMLDivElement | null>, zoom: (factor: number, at: { x: number; y: number }) => void): void {
  const onWheel = useEffectEvent((event: WheelEvent, element: HTMLDivElement) => {
    event.preventDefault()
    const { left, top } = element.getBoundingClientRect()
    const at = { x: event.clientX - left - element.clientWidth / 2, y: event.clientY - top - (element.clientHeight - 32) / 2 }
    zoom(wheelStep ** -event.deltaY, at)
  })
  useEffect(() => {
    const element = host.current
    if (!element) return
    const listener = (event: WheelEvent) => onWheel(event, element)
    element.addEventListener('wheel', listener, { passive: false })
    return () => element.removeEventListener('wheel', listener)
  }, [host])
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

function useRoom(host: RefObject<HTMLDivElement | null>): StageSize {
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
