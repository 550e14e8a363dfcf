import { useState } from 'react'

const storageKey = 'motherlode.tile'
const smallest = 88
const largest = 240

export function useTileSize(): [number, (size: number) => void] {
  const [size, setSize] = useState(() => {
    const stored = Number(localStorage.getItem(storageKey))
    return stored >= smallest && stored <= largest ? stored : 112
  })
  const keep = (next: number) => {
    localStorage.setItem(storageKey, String(next))
    setSize(next)
  }
  return [size, keep]
}

export function TileSize({ size, onChange }: { size: number; onChange: (size: number) => void }) {
  return (
    <label className="row quiet">
      Tile
      <input
        type="range"
        min={smallest}
        max={largest}
        step={8}
        value={size}
        aria-label="Tile size"
        onChange={(event) => onChange(Number(event.target.value))}
        style={{ width: 96, accentColor: 'var(--accent)' }}
      />
    </label>
  )
}
