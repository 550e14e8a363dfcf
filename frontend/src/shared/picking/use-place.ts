import { type RefObject, useLayoutEffect } from 'react'

const gap = 4
const room = 8
const highest = 320
const lowest = 120

/** Puts a popover below its field, or above it where there is more room, and keeps it there while the page scrolls. */
export function usePlace(open: boolean, field: RefObject<HTMLElement | null>, popover: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const [anchor, list] = [field.current, popover.current]
    if (!open || !anchor || !list) return
    // Above dialogs too, whatever they cut off.
    list.showPopover()
    const place = () => {
      const { top, bottom, left, width } = anchor.getBoundingClientRect()
      const below = window.innerHeight - bottom - gap - room
      const isBelow = below >= Math.min(highest, list.scrollHeight) || below >= top - gap - room
      list.style.minWidth = `${width}px`
      list.style.maxHeight = `${Math.max(lowest, Math.min(highest, isBelow ? below : top - gap - room))}px`
      list.style.left = `${Math.max(room, Math.min(left, window.innerWidth - list.offsetWidth - room))}px`
      list.style.top = isBelow ? `${bottom + gap}px` : `${top - gap - list.offsetHeight}px`
    }
    place()
    const watching = new ResizeObserver(place)
    watching.observe(list)
    window.addEventListener('scroll', place, true)
    window.addEventListener('resize', place)
    return () => {
      watching.disconnect()
      window.removeEventListener('scroll', place, true)
      window.removeEventListener('resize', place)
    }
  }, [open, field, popover])
}
