import { type RefObject, useLayoutEffect, useState } from 'react'

const scrollbar = 12

/** The inner size of an element, followed as it changes; room for a scrollbar is taken off the width, unless it has none. */
export function useSize(ref: RefObject<HTMLElement | null>, room = scrollbar): { width: number; height: number } {
  const [size, setSize] = useState({ width: 960, height: 640 })
  useLayoutEffect(() => {
    const element = ref.current
    if (!element) return
    const observer = new ResizeObserver(() => {
      setSize({ width: Math.max(160, element.clientWidth - room), height: element.clientHeight })
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [ref, room])
  return size
}
