import type { Sample } from '../../shared/api/types'
import { labelBoxes, labelIgnored, labelPolygons } from '../../shared/format/labels'
import { BoxLayer } from '../../shared/ui/box-layer'

/** What a label holds, over its picture; nothing for a label that holds no objects. */
export function Shapes({ sample: { label, width, height }, classes }: { sample: Sample; classes: string[] }) {
  const [boxes, polygons, ignored] = [labelBoxes(label), labelPolygons(label), labelIgnored(label)]
  if (width === null || height === null || boxes.length + polygons.length + ignored.length === 0) return null
  return <BoxLayer width={width} height={height} boxes={boxes} polygons={polygons} ignored={ignored} classes={classes} manner="kept" />
}
