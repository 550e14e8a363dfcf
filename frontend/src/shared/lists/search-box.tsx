import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'

const settles = 250

interface SearchBoxProps {
  /** What is searched: `Search jobs by dataset or model`. */
  label: string
  placeholder: string
}

/** The search of a list, kept in its address as `q`, so that a link shows what somebody saw. The server is asked once the typing rests. */
export function SearchBox({ label, placeholder }: SearchBoxProps) {
  const { q = '' }: { q?: string } = useSearch({ strict: false })
  const [typed, setTyped] = useState(q)
  const [seen, setSeen] = useState(q)
  const [sent, setSent] = useState(q)
  const navigate = useNavigate()
  if (q !== seen) {
    setSeen(q)
    // A link or the way back changed the address.
    if (q !== sent) setTyped(q)
  }
  useEffect(() => {
    const wanted = typed.trim()
    if (wanted === q) return undefined
    const timer = setTimeout(() => {
      setSent(wanted)
      void navigate({ to: '.', search: ((before: object) => ({ ...before, q: wanted === '' ? undefined : wanted })) as never, replace: true })
    }, settles)
    return () => clearTimeout(timer)
  }, [typed, q, navigate])
  return (
    <search>
      <input className="field" type="search" aria-label={label} placeholder={placeholder} value={typed} onChange={({ target }) => setTyped(target.value)} />
    </search>
  )
}
