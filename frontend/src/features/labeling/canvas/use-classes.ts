import { useMemo } from 'react'

import type { LabelClass, Queue } from '../../../shared/api/types'
import { ClassKeys } from '../class-keys'
import { offeredClasses } from '../queue-kind'
import { Marks } from './paint/marks'

/** The classes of a queue by their keys, and how each is drawn. */
export function useClasses(queue: Queue): { keys: ClassKeys; marks: Marks } {
  // The queue is asked for again and again; its classes rarely change.
  const known = JSON.stringify({ all: queue.schema.classes, offered: offeredClasses(queue) })
  return useMemo(() => {
    const { all, offered } = JSON.parse(known) as { all: LabelClass[]; offered: LabelClass[] }
    return { keys: new ClassKeys(offered), marks: new Marks(all) }
  }, [known])
}
