// @vitest-environment jsdom

import { expect, test } from 'vitest'

import { classesOfJson, classesOfKitti, classesOfTable, classesOfXml, knownClasses, likelyClasses } from './known-classes'
import { namesOf } from './yaml-names'

test('COCO, YOLO and plain lists tell their classes', async () => {
  const files = [
    { name: 'a/classes.txt', data: new File(['nut\nbolt\n'], 'classes.txt') },
    { name: 'coco.json', data: new File(['{"categories": [{"id": 1, "name": "gear"}, {"id": 2}]}'], 'coco.json') },
    { name: 'notes.txt', data: new File(['hello'], 'notes.txt') },
  ]
  expect(await knownClasses(files)).toEqual({ names: ['nut', 'bolt', 'gear'], wholeImages: false, unread: 0, faults: [] })
})

test('tables tell their classes, and whether they are of whole images', async () => {
  expect(classesOfTable('image_id,label\n0a,nut\n0b,"a, b ""c"""\n0c,nut\n0d,\n')).toEqual({ names: ['nut', 'a, b "c"'], wholeImages: true })
  expect(classesOfTable('Filename;Class\r\n1.jpg;nut\r\n')).toEqual({ names: ['nut'], wholeImages: true })
  expect(classesOfTable('filename,class,xmin,ymin,xmax,ymax\n1.jpg,nut,1,2,3,4\n')).toEqual({ names: ['nut'], wholeImages: false })
  for (const other of ['', 'a,b\n1,2\n', 'class\nnut\n', 'file,"class\n']) expect(classesOfTable(other).names).toEqual([])
  const table = { name: 'train.csv', data: new File(['file,class\n1.jpg,nut\n'], 'train.csv') }
  const coco = { name: 'coco.json', data: new File(['{"categories": [{"id": 1, "name": "gear"}]}'], 'coco.json') }
  expect(await knownClasses([table])).toEqual({ names: ['nut'], wholeImages: true, unread: 0, faults: [] })
  const large = { name: 'large.json', data: Object.defineProperty(new File(['{}'], 'large.json'), 'size', { value: 30_000_001 }) }
  expect(await knownClasses([table, large])).toEqual({ names: ['nut'], wholeImages: true, unread: 1, faults: [] })
  expect((await knownClasses([table, coco])).wholeImages).toBe(false)
  expect((await knownClasses([coco, table])).wholeImages).toBe(false)
})

test('the names of a YOLO description are read however they are written', () => {
  expect(namesOf("nc: 2\nnames: ['a b', \"c\"]\n")).toEqual(['a b', 'c'])
  expect(namesOf('names:\n  0: nut\n  1: bolt\nnc: 2\n')).toEqual(['nut', 'bolt'])
  expect(namesOf('names:\n- nut\n- bolt\n')).toEqual(['nut', 'bolt'])
})

test('VOC, CVAT, LabelMe and Label Studio tell the classes of their objects', () => {
  expect(classesOfXml('<annotation><folder>a</folder><object><pose>x</pose><name>nut</name><part><name>thread</name></part></object><object><name> bolt </name></object></annotation>')).toEqual(['nut', 'bolt'])
  const cvat = '<annotations><meta><task><name>t</name><labels><label><name>nut</name><attributes><attribute><name>size</name></attribute></attributes></label></labels></task></meta></annotations>'
  expect(classesOfXml(cvat)).toEqual(['nut'])
  expect(classesOfJson('{"shapes": [{"label": "nut", "points": []}, {"label": 3}], "imagePath": "1.png"}')).toEqual(['nut'])
  const tasks = [{ data: {}, annotations: [{ result: [{ value: { x: 1, rectanglelabels: ['nut'] } }, { value: { choices: ['good', 'bad'] } }] }] }, { data: {} }]
  expect(classesOfJson(JSON.stringify(tasks))).toEqual(['nut', 'good', 'bad'])
})

test("KITTI's label files and Open Images' descriptions tell their classes; YOLO's texts about images are no lists of them", async () => {
  const values = '0 0 0 1 1 5 5 1 1 1 0 0 0 0'
  expect(classesOfKitti(`traffic light ${values}\n7 ${values} 0.5\nclass 7 ${values}\nDontCare ${values}\n0 0.5 0.5 1 1\n`)).toEqual(['traffic light', '7', 'class 7'])
  const files = [
    { name: 'a/class-descriptions-boxable.csv', data: new File(['/m/1,"a, b"\n/m/2,nut\n'], 'c.csv') },
    { name: 'training/label_2/1.txt', data: new File([`car ${values}`], '1.txt') },
    { name: 'labels/1.txt', data: Object.defineProperty(new File(['0 1 1 1 1'], '1.txt'), 'size', { value: 30_000_001 }) },
  ]
  expect(await knownClasses(files)).toEqual({ names: ['a, b', 'nut', 'car'], wholeImages: false, unread: 0, faults: [] })
})

test('another document tells none', () => {
  expect([classesOfJson('[1]'), classesOfJson('{'), classesOfJson('null'), classesOfXml('<a'), namesOf('x: 1')]).toEqual([[], [], [], [], []])
})

test('folders are classes unless the annotation files name others', () => {
  expect(likelyClasses(['cat', 'dog'], [])).toEqual({ source: 'folders', names: ['cat', 'dog'] })
  expect(likelyClasses(['photos'], [])).toEqual({ source: 'nothing', names: [] })
  expect(likelyClasses(['photos'], ['photos'])).toEqual({ source: 'folders', names: ['photos'] })
  expect(likelyClasses(['cat', 'dog'], ['dog', 'bird'])).toEqual({ source: 'folders', names: ['cat', 'dog', 'bird'] })
  expect(likelyClasses(['cam_left'], ['car'])).toEqual({ source: 'annotations', names: ['car'] })
  expect(likelyClasses([], [])).toEqual({ source: 'nothing', names: [] })
})
