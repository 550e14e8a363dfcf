import { useNavigate } from '@tanstack/react-router'
import { useEffect, useEffectEvent, useState } from 'react'

import type { Rights } from '../shared/access/use-may'
import { useKeyMap } from '../shared/keys/key-store'
import { isCommand, isElsewhere, isTaken, strokeName } from '../shared/keys/keyboard'
import { actionFor } from '../shared/keys/keymap'
import { showKeys, useShownKeys } from '../shared/keys/present'
import { useKeys } from '../shared/keys/use-keys'
import { later } from '../shared/ui/later'
import { GoToHint } from './go-to-hint'
import { pagesOf } from './pages'

const Palette = later(async () => (await import('./palette')).default)
const KeysDialog = later(async () => (await import('../shared/keys/keys-dialog')).default)

/** How long the letter of a page may come after the key of `goTo`. */
const patience = 4_000

interface GlobalKeysProps {
  may: Rights
  palette: boolean
  onPalette: (open: boolean) => void
}

/** The keys that act on every page, and what they open. */
export function GlobalKeys({ may, palette, onPalette }: GlobalKeysProps) {
  const map = useKeyMap()
  const keys = useShownKeys()
  const [waiting, setWaiting] = useState(false)
  useKeys(
    (event) => {
      const action = event.repeat ? null : actionFor(event, 'global', map)
      if (action === 'palette') onPalette(true)
      else if (action === 'help') showKeys()
      else if (action === 'goTo') setWaiting(true)
      return action !== null
    },
    // A key with Ctrl types nothing: it acts from a text field too.
    (event) => (isCommand(event) ? isElsewhere(event) : isTaken(event)),
  )
  return (
    <>
      {waiting && <GoTo may={may} onEnd={() => setWaiting(false)} />}
      {palette && <Palette may={may} onClose={() => onPalette(false)} />}
      {keys !== undefined && <KeysDialog scope={keys?.scope ?? null} digits={keys?.digits ?? []} onClose={() => showKeys(false)} />}
    </>
  )
}

/** After the key of `goTo`: the next key is a page's letter, whatever else it means on this page. */
function GoTo({ may, onEnd }: { may: Rights; onEnd: () => void }) {
  const map = useKeyMap()
  const navigate = useNavigate()
  const pages = pagesOf(may)
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (strokeName(event) === null) return
    event.preventDefault()
    event.stopImmediatePropagation()
    const action = actionFor(event, 'goto', map)
    const page = pages.find((each) => each.action === action)
    if (page) void navigate({ to: page.to })
    onEnd()
  })
  const end = useEffectEvent(onEnd)
  useEffect(() => {
    const listener = (event: KeyboardEvent) => onKey(event)
    const give = () => end()
    const timer = setTimeout(give, patience)
    // Before the listeners of the page itself.
    window.addEventListener('keydown', listener, { capture: true })
    window.addEventListener('pointerdown', give)
    return () => {
      clearTimeout(timer)
      window.removeEventListener('keydown', listener, { capture: true })
      window.removeEventListener('pointerdown', give)
    }
  }, [])
  return <GoToHint pages={pages} map={map} />
}
