import type { components } from '../../shared/api/schema'

type Documents = components['schemas']

export type PersonFigures = Documents['PersonFigures']
export type Agreement = Documents['Agreement']
export type AnnotatorPair = Documents['Pair']
export type WaitingQueue = Documents['WaitingQueue']
