import { Copy } from 'lucide-react'

import { toast } from './toast-store'

/** A line to paste into a terminal. */
export function CopyLine({ line, what }: { line: string; what: string }) {
  return (
    <div className="copy-line">
      <code className="grow">{line}</code>
      <CopyButton text={line} what={what} />
    </div>
  )
}

/** Puts a text that the page shows beside it into the clipboard. */
export function CopyButton({ text, what }: { text: string; what: string }) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text)
      toast('plain', `${what} copied`)
    } catch {
      toast('bad', 'The browser does not let this page write to the clipboard. Select the text and copy it.')
    }
  }
  return (
    <button type="button" className="button plain icon little" aria-label={`Copy ${what}`} onClick={() => void copy()}>
      <Copy size={14} aria-hidden />
    </button>
  )
}
