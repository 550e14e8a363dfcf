import { ArrowRight } from 'lucide-react'
import type { ReactNode } from 'react'

import type { Difference, DiffKind, Sample } from '../../../shared/api/types'
import { labelBoxes, labelClass, labelText } from '../../../shared/format/labels'
import { Swatch } from '../../../shared/ui/swatch'
import { carriedChanges, carriedWords } from './attribute-changes'
import { boxChanges, boxWords } from './box-changes'

interface ChangeWordsProps {
  difference: Difference
  kind: DiffKind
  classes: string[]
}

/** One line under a picture: what is new about it. */
export function ChangeWords({ difference: { before, after }, kind, classes }: ChangeWordsProps) {
  const shown = after ?? before
  if (!shown) return null
  const boxes = boxChanges(labelBoxes(before?.label ?? null), labelBoxes(after?.label ?? null))
  switch (kind) {
    case 'relabelled':
    case 'boxes_moved':
      return holdObjects(before, after) ? (
        <>{boxWords(boxes)}</>
      ) : (
        <FromTo from={<LabelMark sample={before} classes={classes} />} to={<LabelMark sample={after} classes={classes} />} />
      )
    case 'attributes_changed':
      return <>{carriedWords(carriedChanges(before?.label ?? null, after?.label ?? null))}</>
    case 'split_moved':
      return <FromTo from={before?.split} to={after?.split} />
    case 'meta_changed':
      return <>{changedFields(before, after).join(', ')}</>
    case 'changed':
      return <FromTo from={size(before)} to={size(after)} />
    case 'added':
    case 'removed':
      return (
        <>
          <LabelMark sample={shown} classes={classes} />
          <span className="grow" />
          <span className="quiet">{shown.split}</span>
        </>
      )
  }
}

function FromTo({ from, to }: { from: ReactNode; to: ReactNode }) {
  return (
    <>
      {from}
      <ArrowRight size={12} aria-hidden />
      <span className="visually-hidden">became</span>
      {to}
    </>
  )
}

export function LabelMark({ sample, classes }: { sample: Sample | null; classes: string[] }) {
  const name = labelClass(sample?.label ?? null)
  return (
    <span className="label-mark">
      {name !== null && <Swatch classes={classes} name={name} />}
      <span className="cut">{labelText(sample?.label ?? null) ?? 'no label'}</span>
    </span>
  )
}

export function holdObjects(before: Sample | null, after: Sample | null): boolean {
  return [before, after].some((sample) => sample?.label && 'boxes' in sample.label)
}

function size(sample: Sample | null): string {
  return sample?.width ? `${sample.width} × ${sample.height ?? 0}` : 'another size'
}

/** Names of the metadata fields that differ. */
export function changedFields(before: Sample | null, after: Sample | null): string[] {
  const [old, now] = [before?.meta ?? {}, after?.meta ?? {}]
  const names = new Set([...Object.keys(old), ...Object.keys(now)])
  return [...names].filter((name) => JSON.stringify(old[name]) !== JSON.stringify(now[name])).sort()
}
