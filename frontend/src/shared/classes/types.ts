import type { components } from '../api/schema'

type Documents = components['schemas']

/** A dataset's label schema; queues repeat it. */
export type DatasetSchema = Documents['LabelSchema']
export type SchemaClass = Documents['LabelClass']
export type ClassExample = Documents['Example']
/** With who changed it when and why, the newest first. */
export type SchemaWithHistory = Documents['DatasetSchema']
export type SchemaChange = Documents['SchemaChangeRow']

/** What somebody who labels has to know. */
export type Guidelines = Pick<DatasetSchema, 'classes' | 'guideline'>
