import { Copy } from 'lucide-react'

import { toast } from './toast-store'

/** A line to paste into a terminal. */
export function CopyLine({ line, what }: { line: string; what: string }) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(line)
      toast('plain', `${what} copied`)
    } catch {
      toast('bad', 'The browser does not let this page write to the clipboard. Select the line and copy it.')
    }
  }
  return (
    <div className="copy-line">
      <code className="grow">{line}</code>
      <button type="button" className="button plain icon little" aria-label={`Copy ${what}`} onClick={() => void copy()}>
        <Copy size={14} aria-hidden />
      </button>
    </div>
  )
}
