import { digitIndex, isCommand, letter, type Stroke } from '../../shared/keys/keyboard'
import type { SingleKeys } from '../../shared/keys/preference'

/** What a key means in the classification workspace. */
export type Command =
  | { do: 'choose'; index: number }
  | { do: 'accept' | 'skip' | 'undo' | 'back' | 'forward' | 'help' | 'zoom' | 'why' }
  | { do: 'brightness' | 'contrast'; step: 1 | -1 }

export function commandFor(stroke: Stroke, keys: SingleKeys): Command | null {
  if (stroke.isComposing) return null
  return alwaysCommand(stroke) ?? digitCommand(stroke, keys) ?? letterCommand(stroke, keys)
}

function alwaysCommand(stroke: Stroke): Command | null {
  if (isCommand(stroke)) return letter(stroke) === 'z' && !stroke.shiftKey ? { do: 'undo' } : null
  if (stroke.altKey) return null
  switch (stroke.key) {
    case 'Backspace':
      return { do: 'undo' }
    case 'Enter':
      return { do: 'accept' }
    case 'ArrowLeft':
      return { do: 'back' }
    case 'ArrowRight':
      return { do: 'forward' }
    default:
      return null
  }
}

function digitCommand(stroke: Stroke, keys: SingleKeys): Command | null {
  const index = keys === 'none' ? null : digitIndex(stroke)
  return index === null ? null : { do: 'choose', index }
}

function letterCommand(stroke: Stroke, keys: SingleKeys): Command | null {
  if (keys !== 'all' || isCommand(stroke) || stroke.altKey) return null
  if (stroke.key === '?') return { do: 'help' }
  const step = stroke.shiftKey ? -1 : 1
  switch (letter(stroke)) {
    case 'a':
      return { do: 'accept' }
    case 's':
      return { do: 'skip' }
    case 'z':
      return { do: 'zoom' }
    case 'i':
      return { do: 'why' }
    case 'b':
      return { do: 'brightness', step }
    case 'c':
      return { do: 'contrast', step }
    default:
      return null
  }
}
