import { Link } from '@tanstack/react-router'

interface LabelLinkProps {
  dataset: string
  primary?: boolean
  onClick?: () => void
  children: string
}

/** Opens the form of a queue with this dataset and its unlabelled images chosen. */
export function LabelLink({ dataset, primary = false, onClick, children }: LabelLinkProps) {
  return (
    <Link to="/label" search={{ dataset }} className={`button ${primary ? 'primary' : ''}`} onClick={onClick}>
      {children}
    </Link>
  )
}
