import { useNavigate } from '@tanstack/react-router'
import { type PointerEvent, useEffect, useRef, useState } from 'react'

import { count } from '../../shared/format/numbers'
import { useDark } from '../../shared/ui/theme'
import { cellOf, cellWords, matrixNames } from './confusion'
import { type Cell, cellAt, cellSide, shade, strength } from './heat'

const width = 440

interface HeatMapProps {
  matrix: number[][]
  classes: string[]
  /** Whose it is. */
  model: string
  version: number
}

/** A matrix of many classes as a picture; the pointer names a cell, a click leads to what it counts, and the pairs below
    it say the worst in words, for the keyboard too. */
export function HeatMap({ matrix, classes, model, version }: HeatMapProps) {
  const navigate = useNavigate()
  const canvas = useRef<HTMLCanvasElement>(null)
  const dark = useDark()
  const [at, setAt] = useState<Cell | null>(null)
  const names = matrixNames(matrix, classes)
  const side = cellSide(width, names.length)

  useEffect(() => {
    if (canvas.current) draw(canvas.current, matrix, side)
  }, [matrix, side, dark])

  const onPointerMove = (event: PointerEvent<HTMLCanvasElement>) => {
    const box = event.currentTarget.getBoundingClientRect()
    setAt(cellAt(event.clientX - box.left, event.clientY - box.top, side, names.length))
  }
  const open = () => {
    if (at === null || (matrix[at.label]?.[at.predicted] ?? 0) === 0) return
    const search = cellOf(names[at.label] ?? '', names[at.predicted] ?? '', classes)
    void navigate({ to: '/models/$model/$version/outcomes', params: { model, version: String(version) }, search })
  }
  return (
    <figure className="heat">
      {/* A scrolled region must be reachable by keyboard to be scrolled by it. */}
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div className="heat-scroll" role="region" aria-label="Confusion matrix" tabIndex={0}>
        <canvas ref={canvas} aria-hidden onPointerMove={onPointerMove} onPointerLeave={() => setAt(null)} onClick={open} />
      </div>
      <figcaption className="small" role="status">
        {at ? (
          <>
            {cellWords(names[at.label] ?? '', names[at.predicted] ?? '', classes)}: <strong>{count(matrix[at.label]?.[at.predicted] ?? 0)}</strong>
          </>
        ) : (
          <span className="quiet">Point at a cell to read it.</span>
        )}
      </figcaption>
    </figure>
  )
}

function draw(canvas: HTMLCanvasElement, matrix: number[][], side: number): void {
  const size = side * matrix.length
  const ratio = window.devicePixelRatio
  canvas.width = canvas.height = size * ratio
  canvas.style.width = canvas.style.height = `${size}px`
  const context = canvas.getContext('2d')
  if (!context) return
  const style = getComputedStyle(canvas)
  context.scale(ratio, ratio)
  context.fillStyle = style.getPropertyValue('--surface-2')
  context.fillRect(0, 0, size, size)
  const gap = side > 6 ? 1 : 0
  matrix.forEach((row, label) =>
    row.forEach((samples, predicted) => {
      if (samples === 0) return
      context.globalAlpha = Math.min(1, 0.15 + (shade(strength(matrix, { label, predicted })) / 50) * 0.85)
      context.fillStyle = style.getPropertyValue(label === predicted ? '--accent' : '--bad')
      context.fillRect(predicted * side, label * side, side - gap, side - gap)
    }),
  )
}
