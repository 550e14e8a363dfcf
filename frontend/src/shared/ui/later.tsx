import { type ComponentType, type ReactNode, useEffect, useState } from 'react'

/**
 * A component whose code comes when it is first shown; until then its placeholder stands there. React's own `lazy` shows it
 * no sooner than 300 ms after an empty place, whenever the code came. Where that can't be had, whoever catches faults is told.
 */
export function later<P extends object>(load: () => Promise<ComponentType<P>>, placeholder: ReactNode = null) {
  let known: ComponentType<P> | null = null
  return function Later(props: P) {
    const [Shown, setShown] = useState(() => known)
    const [fault, setFault] = useState<{ reason: unknown } | null>(null)
    useEffect(() => {
      if (Shown !== null) return
      load().then(
        (component) => {
          known = component
          setShown(() => component)
        },
        (reason: unknown) => setFault({ reason }),
      )
    }, [Shown])
    if (fault !== null) throw fault.reason
    return Shown === null ? placeholder : <Shown {...props} />
  }
}
