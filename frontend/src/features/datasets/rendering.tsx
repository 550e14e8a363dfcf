import { useState } from 'react'

const storageKey = 'motherlode.rendering'
const words = { auto: 'auto smoothing', smooth: 'smooth', pixels: 'pixels' }

/** How a tile is drawn larger than its picture; `auto` shows the pixels of small images. */
export type Rendering = keyof typeof words

const all = Object.keys(words) as Rendering[]

export function useRendering(): [Rendering, (next: Rendering) => void] {
  const [rendering, setRendering] = useState(() => all.find((one) => one === localStorage.getItem(storageKey)) ?? 'auto')
  const keep = (next: Rendering) => {
    localStorage.setItem(storageKey, next)
    setRendering(next)
  }
  return [rendering, keep]
}

/** The one after it: what the key of the page goes to. */
export function nextRendering(rendering: Rendering): Rendering {
  return all[(all.indexOf(rendering) + 1) % all.length] ?? 'auto'
}

export function RenderingPicker({ rendering, onChange }: { rendering: Rendering; onChange: (next: Rendering) => void }) {
  return (
    <select className="field" aria-label="Tiles are drawn" value={rendering} onChange={({ target }) => onChange(all.find((one) => one === target.value) ?? 'auto')}>
      {all.map((one) => (
        <option key={one} value={one}>
          {words[one]}
        </option>
      ))}
    </select>
  )
}
