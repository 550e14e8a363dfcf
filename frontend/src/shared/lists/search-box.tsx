import { useNavigate, useSearch } from '@tanstack/react-router'

interface SearchBoxProps {
  /** What is searched: `Search jobs by dataset or model`. */
  label: string
  placeholder: string
}

/** The search of a list, kept in its address as `q`, so that a link shows what somebody saw. */
export function SearchBox({ label, placeholder }: SearchBoxProps) {
  const search: { q?: string } = useSearch({ strict: false })
  const navigate = useNavigate()
  const put = (q: string) =>
    void navigate({ to: '.', search: ((before: object) => ({ ...before, q: q === '' ? undefined : q })) as never, replace: true })
  return (
    <search>
      <input
        className="field"
        type="search"
        aria-label={label}
        placeholder={placeholder}
        defaultValue={search.q ?? ''}
        onChange={({ target }) => put(target.value)}
      />
    </search>
  )
}
