import { Link } from '@tanstack/react-router'

/** A link to a version that the API names `model@3`. */
export function VersionReference({ name }: { name: string }) {
  const [model = '', version = ''] = name.split('@')
  return (
    <Link to="/models/$model/$version" params={{ model, version }}>
      {model} v{version}
    </Link>
  )
}
