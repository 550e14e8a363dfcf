import { expect, test } from 'vitest'

import { formatsFor } from './export-formats'

test('a format is offered only where it holds the labels of the task', () => {
  const names = (task: 'classification' | 'detection') => formatsFor(task).map(([format]) => format)
  expect(names('classification')).toEqual(['jsonl', 'image_folder', 'coco', 'label_studio'])
  expect(names('detection')).toEqual(['jsonl', 'coco', 'yolo', 'kitti', 'voc', 'label_studio'])
})
