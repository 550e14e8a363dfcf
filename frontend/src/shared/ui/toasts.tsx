import { X } from 'lucide-react'
import { useEffect, useState, useSyncExternalStore } from 'react'

import { currentToasts, dismiss, subscribeToasts, type Toast } from './toast-store'

const shownFor = 6_000

export function Toasts() {
  const toasts = useSyncExternalStore(subscribeToasts, currentToasts)
  return (
    <div className="toasts" role="status" aria-live="polite">
      {toasts.map((toast) => (
        <Line key={toast.id} toast={toast} />
      ))}
    </div>
  )
}

function Line({ toast }: { toast: Toast }) {
  const [held, setHeld] = useState(false)
  useEffect(() => {
    if (held || toast.tone === 'bad') return
    const timer = setTimeout(() => dismiss(toast.id), shownFor)
    return () => clearTimeout(timer)
  }, [held, toast])
  const { action } = toast
  return (
    <div className={`toast ${toast.tone}`} onPointerEnter={() => setHeld(true)} onPointerLeave={() => setHeld(false)}>
      <span className="grow">{toast.text}</span>
      {action && (
        <button
          type="button"
          className="button little"
          onClick={() => {
            dismiss(toast.id)
            action.run()
          }}
        >
          {action.label}
        </button>
      )}
      <button type="button" className="button plain icon little" aria-label="Dismiss" onClick={() => dismiss(toast.id)}>
        <X size={14} aria-hidden />
      </button>
    </div>
  )
}
