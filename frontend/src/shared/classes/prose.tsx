import { Fragment, type ReactNode } from 'react'

/** Guideline text: blank lines part paragraphs, `- ` begins a point, **strong** and `code` mark words. Nothing else is read. */
export function Prose({ text }: { text: string }) {
  return <div className="prose">{blocks(text).map((lines, place) => block(lines, place))}</div>
}

/** The lines of each paragraph or list. */
export function blocks(text: string): string[][] {
  const found: string[][] = []
  let open: string[] | null = null
  for (const line of text.split('\n').map((each) => each.trim())) {
    const before = open?.at(-1)
    if (line === '') open = null
    else if (open !== null && before !== undefined && isPoint(before) === isPoint(line)) open.push(line)
    else found.push((open = [line]))
  }
  return found
}

function isPoint(line: string): boolean {
  return /^[-*] /.test(line)
}

function block(lines: string[], place: number): ReactNode {
  if (!isPoint(lines[0] ?? '')) return <p key={place}>{marked(lines.map((line) => line.replace(/^#+ /, '')).join(' '))}</p>
  return (
    <ul key={place}>
      {lines.map((line, at) => (
        <li key={at}>{marked(line.slice(2))}</li>
      ))}
    </ul>
  )
}

function marked(text: string): ReactNode {
  return text.split(/(\*\*[^*]+\*\*|`[^`]+`)/).map((part, place) => {
    if (part.startsWith('**') && part.length > 4) return <strong key={place}>{part.slice(2, -2)}</strong>
    if (part.startsWith('`') && part.length > 2) return <code key={place}>{part.slice(1, -1)}</code>
    return <Fragment key={place}>{part}</Fragment>
  })
}
