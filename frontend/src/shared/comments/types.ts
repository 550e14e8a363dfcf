import type { components } from '../api/schema'

type Documents = components['schemas']

export type Comment = Documents['Comment']
/** With what its task is about. */
export type ListedComment = Documents['ListedComment']

/** On an upright image, as shares of its width and height. */
export interface Place {
  x: number
  y: number
}
