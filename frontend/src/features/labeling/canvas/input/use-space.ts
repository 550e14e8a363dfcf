import { type RefObject, useEffect, useRef } from 'react'

/** Whether Space is held while the drawing has the focus: then a drag moves the image. */
export function useSpace(active: RefObject<HTMLElement | null>): RefObject<boolean> {
  const held = useRef(false)
  useEffect(() => {
    const element = active.current
    if (!element) return
    const onDown = (event: KeyboardEvent) => {
      if (event.key !== ' ') return
      held.current = true
      element.style.cursor = 'grab'
      event.preventDefault()
    }
    const release = () => {
      held.current = false
    }
    const onUp = (event: KeyboardEvent) => {
      if (event.key === ' ') release()
    }
    element.addEventListener('keydown', onDown)
    element.addEventListener('keyup', onUp)
    element.addEventListener('blur', release)
    return () => {
      element.removeEventListener('keydown', onDown)
      element.removeEventListener('keyup', onUp)
      element.removeEventListener('blur', release)
    }
  }, [active])
  return held
}
