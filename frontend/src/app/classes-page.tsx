import '../features/datasets/datasets.css'

import { useParams } from '@tanstack/react-router'

import { DatasetFrame } from '../features/datasets/dataset-frame'
import { SchemaEditor } from '../features/schema/schema-editor'

/** The Classes tab of a dataset: the frame is the datasets' and the editor the schema's, so the app joins them. */
export function ClassesPage() {
  const { id } = useParams({ from: '/inside/datasets/$id/classes' })
  return <DatasetFrame id={id}>{(dataset) => <SchemaEditor key={dataset.id} dataset={dataset} />}</DatasetFrame>
}
