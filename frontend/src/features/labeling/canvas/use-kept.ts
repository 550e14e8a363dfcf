import { useEffect } from 'react'

import type { Editor } from './core/editor'
import { keepShapes } from './draft-store'
import type { Questions } from './verify/questions'

/** Keeps what is drawn on this computer, and ends an arrow key's entry in the history with the key. */
export function useKept(place: string, editor: Editor, questions: Questions | undefined): void {
  useEffect(() => keepShapes(place, editor, questions), [place, editor, questions])
  useEffect(() => {
    const onUp = (event: KeyboardEvent) => {
      if (event.key.startsWith('Arrow')) editor.endGesture()
    }
    window.addEventListener('keyup', onUp)
    return () => window.removeEventListener('keyup', onUp)
  }, [editor])
}
