import type { Dataset, ExportFormat } from '../../../shared/api/types'

interface FormatFacts {
  words: string
  /** The task whose labels alone it holds; without it, those of all tasks. */
  only?: Dataset['task']
}

const formats: Record<ExportFormat, FormatFacts> = {
  jsonl: { words: 'JSON lines: all that is known, nothing is lost' },
  image_folder: { words: 'Folders by split and class', only: 'classification' },
  coco: { words: 'COCO JSON' },
  yolo: { words: 'YOLO (Ultralytics)', only: 'detection' },
  kitti: { words: 'KITTI', only: 'detection' },
  voc: { words: 'Pascal VOC XML', only: 'detection' },
  label_studio: { words: 'Label Studio JSON' },
}

/** What a dataset of this task can be written as: format and words, the one that loses nothing first. */
export function formatsFor(task: Dataset['task']): [ExportFormat, string][] {
  return (Object.keys(formats) as ExportFormat[]).flatMap((format): [ExportFormat, string][] => {
    const { words, only } = formats[format]
    return only === undefined || only === task ? [[format, words]] : []
  })
}
