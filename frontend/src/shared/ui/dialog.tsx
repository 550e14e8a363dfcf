import { X } from 'lucide-react'
import { Dialog as Radix } from 'radix-ui'
import type { ReactNode } from 'react'

interface DialogProps {
  open: boolean
  onClose: () => void
  title: string
  drawer?: boolean
  children: ReactNode
}

export function Dialog({ open, onClose, title, drawer = false, children }: DialogProps) {
  return (
    <Radix.Root open={open} onOpenChange={(wanted) => !wanted && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="veil" />
        <Radix.Content className={`dialog ${drawer ? 'drawer' : ''}`} aria-describedby={undefined}>
          <div className="row" style={{ marginBottom: 16 }}>
            <Radix.Title className="grow cut">{title}</Radix.Title>
            <Radix.Close className="button plain icon" aria-label="Close">
              <X size={16} aria-hidden />
            </Radix.Close>
          </div>
          {children}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
