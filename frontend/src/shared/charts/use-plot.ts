import 'uplot/dist/uPlot.min.css'

import { type RefObject, useEffect, useRef, useState } from 'react'
import type uPlot from 'uplot'

/**
 * Draws a chart in an element as wide as its room and `height` px high; returns that element's ref. It is made anew when `makeOptions`
 * changes, so that is the same function as long as nothing else is to be drawn. uPlot comes with the first chart.
 */
export function usePlot(height: number, makeOptions: (host: HTMLElement) => Omit<uPlot.Options, 'width' | 'height'>, data: uPlot.AlignedData): RefObject<HTMLDivElement | null> {
  const host = useRef<HTMLDivElement>(null)
  const [plot, setPlot] = useState<uPlot | null>(null)
  useEffect(() => {
    const element = host.current
    if (!element) return
    let made: uPlot | null = null
    let gone = false
    element.style.minHeight = `${height}px`
    const observer = new ResizeObserver(() => made?.setSize({ width: element.clientWidth, height }))
    void import('uplot').then(({ default: Plot }) => {
      if (gone) return
      const options = makeOptions(element)
      made = new Plot({ ...options, width: element.clientWidth, height }, options.series.map(() => []) as unknown as uPlot.AlignedData, element)
      setPlot(made)
      observer.observe(element)
    })
    return () => {
      gone = true
      observer.disconnect()
      made?.destroy()
      setPlot(null)
    }
  }, [height, makeOptions])
  useEffect(() => {
    plot?.setData(data)
  }, [plot, data])
  return host
}
