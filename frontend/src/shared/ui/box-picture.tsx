import './box-picture.css'

import { type CSSProperties, type ReactNode, useState } from 'react'

import { classMark } from '../format/class-colours'
import type { Box } from '../format/labels'
import { BoxLayer } from './box-layer'

interface Size {
  width: number
  height: number
}

export interface DrawnBox extends Box {
  score?: number | undefined
}

interface BoxPictureProps {
  src: string
  alt: string
  boxes: readonly DrawnBox[]
  /** Solid lines beneath them: what is really there. */
  truth?: readonly Box[]
  classes: readonly string[]
  /** Of the image whose pixels the boxes count; `image`: of the one that is shown; `share`: they count shares of it. */
  counted: Size | 'image' | 'share'
  /** `after` is solid, `before` dashed, `kept` thin, for little pictures. */
  manner?: 'before' | 'after' | 'kept'
  /** The place of the box that is pointed at in a list: the others are drawn thin. */
  pointed?: number | null
  /** Names and scores stand at the boxes; the picture is then no larger than its image. */
  named?: boolean
  children?: ReactNode
}

/** An image with boxes over it, as large as the image or contained in the place that it has. */
export function BoxPicture({ src, alt, boxes, truth = [], classes, counted, manner = 'after', pointed = null, named = false, children }: BoxPictureProps) {
  const [natural, setNatural] = useState<Size | null>(null)
  const size = typeof counted === 'object' ? counted : natural
  const scaled = (each: readonly DrawnBox[]) => (counted === 'share' && size ? each.map((one) => ({ ...one, box: inPixels(one.box, size) })) : each)
  const [drawn, real] = [scaled(boxes), scaled(truth)]
  const others = pointed === null ? [] : drawn.filter((_, place) => place !== pointed)
  const strong = pointed === null ? drawn : drawn.filter((_, place) => place === pointed)
  const layer = size && { ...size, classes }
  return (
    <span className={`box-picture ${named ? 'named' : ''}`}>
      <img src={src} alt={alt} loading="lazy" onLoad={({ currentTarget: { naturalWidth: width, naturalHeight: height } }) => setNatural(width > 0 && height > 0 ? { width, height } : null)} />
      {layer && real.length > 0 && <BoxLayer {...layer} boxes={real} manner="after" />}
      {layer && others.length > 0 && <BoxLayer {...layer} boxes={others} manner="kept" />}
      {layer && strong.length > 0 && <BoxLayer {...layer} boxes={strong} manner={manner} />}
      {size && named && readable(strong, size).map((box, place) => <Name key={place} box={box} size={size} classes={classes} />)}
      {children}
    </span>
  )
}

function Name({ box: { class: name, box, score }, size, classes }: { box: DrawnBox; size: Size; classes: readonly string[] }) {
  const [x1, y1, x2] = box
  const across: CSSProperties = x1 > size.width / 2 ? { right: `${(1 - x2 / size.width) * 100}%` } : { left: `${(x1 / size.width) * 100}%` }
  const place: CSSProperties & { '--class-colour': string } = { '--class-colour': classMark(classes, name).colour, top: `${(y1 / size.height) * 100}%`, ...across }
  return (
    <span className={`box-name small ${y1 / size.height < 0.06 ? 'inside' : ''}`} style={place} aria-hidden>
      {name}
      {score !== undefined && ` ${score.toFixed(2)}`}
    </span>
  )
}

/** As shares of the image's sides: names that begin nearer than this to one another would lie on each other. */
const near = { across: 0.25, down: 0.06 }

/** Those whose names can be read, the first of each place. */
function readable(boxes: readonly DrawnBox[], { width, height }: Size): DrawnBox[] {
  return boxes.filter(({ box: [x, y] }, place) => {
    const others = boxes.slice(0, place)
    return !others.some(({ box: [left, top] }) => Math.abs(left - x) < near.across * width && Math.abs(top - y) < near.down * height)
  })
}

function inPixels([x1, y1, x2, y2]: Box['box'], { width, height }: Size): Box['box'] {
  return [x1 * width, y1 * height, x2 * width, y2 * height]
}
