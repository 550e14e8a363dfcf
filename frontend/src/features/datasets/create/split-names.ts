import type { Split } from '../../../shared/api/types'

/** Splits as the names of folders give them: whole names, never a word inside one. (`formats.splits` is the same rule; `split-names.json` holds it to that.) */

const words: Record<string, Split> = { train: 'train', training: 'train', val: 'val', valid: 'val', validation: 'val', dev: 'val', test: 'test', testing: 'test' }
const pools = new Set(['pool', 'unlabeled', 'unlabelled'])
const spelled: Record<string, Split> = {
  imagestr: 'train', imagests: 'test', labelstr: 'train', labelsts: 'test',
  obj_train_data: 'train', obj_valid_data: 'val', obj_validation_data: 'val', obj_test_data: 'test',
}
const word = 'validation|training|testing|train|valid|test|val|dev'
const held = 'set|images?|imgs?|data|dataset|samples?|split|photos?|pictures?|pics|frames?|jpe?g|png'
const folderName = new RegExp(`^(?:(?:${held})[-_ ]?)?(${word})(?:[-_ ]?(?:19|20)\\d\\d)?(?:[-_ ]?(?:${held}))*$`)
const last = new RegExp(`^(.+[-_ .])(${word})((?:\\.[a-z]+)?)$`)
const first = new RegExp(`^(${word})([-_ ].+?)((?:\\.[a-z]+)?)$`)

/** Folders that formats keep their images in: COCO's, YOLO's, VOC's, KITTI's and darknet's. */
const layoutName = /^(images?|imgs?|jpegimages|image_[0-3]|obj_(train|valid|test)_data)$/i

/** The split that a folder's whole name stands for; null for another folder. */
export function splitNamed(folder: string): Split | null {
  const name = folder.toLowerCase()
  if (pools.has(name)) return 'pool'
  const found = folderName.exec(name)?.[1]
  return spelled[name] ?? (found !== undefined ? (words[found] ?? null) : null)
}

const above = (path: string) => path.slice(0, Math.max(0, path.lastIndexOf('/')))
const nameOf = (path: string) => path.slice(path.lastIndexOf('/') + 1)

/** The folders of images that may be classes: neither a split's nor a layout's. */
export function classFolders(images: readonly string[]): ReadonlySet<string> {
  const holding = new Set(images.map(above))
  const folders = new Set<string>()
  for (const folder of holding) for (let path = folder; path !== ''; path = above(path)) folders.add(path)
  const alike = alikeOf([...folders])
  const named = (path: string) => splitNamed(nameOf(path)) ?? alike.get(path) ?? null
  const beside = new Map<string, string[]>()
  for (const path of holding) beside.set(above(path), [...(beside.get(above(path)) ?? []), path])
  const isClass = (path: string): boolean => {
    if (path === '' || layoutName.test(nameOf(path))) return false
    if (named(path) === null) return true
    // A train beside cars: in a split's folder, or where nothing else is named like a split.
    const others = (beside.get(above(path)) ?? []).filter((other) => other !== path)
    if (others.some((other) => named(other) !== null) || others.every((other) => layoutName.test(nameOf(other)))) return false
    let inside = false
    for (let outer = above(path); outer !== ''; outer = above(outer)) inside ||= named(outer) !== null
    return inside || nameOf(path).toLowerCase() === 'train'
  }
  return new Set([...holding].filter(isClass))
}

/** Paths that differ in a split's word alone from others in the same folder, one of them for training. */
function alikeOf(paths: readonly string[]): Map<string, Split> {
  const frames = new Map<string, Map<string, Split>>()
  for (const path of paths) {
    const name = nameOf(path).toLowerCase()
    const [ends, begins] = [last.exec(name), first.exec(name)]
    for (const [frame, found] of [[`${ends?.[1]}*${ends?.[3]}`, ends?.[2]], [`*${begins?.[2]}*${begins?.[3]}`, begins?.[1]]]) {
      const split = words[found ?? '']
      if (split === undefined) continue
      const key = `${above(path)}/${frame}`
      frames.set(key, (frames.get(key) ?? new Map<string, Split>()).set(path, split))
    }
  }
  const alike = [...frames.values()].filter((splits) => new Set(splits.values()).size > 1 && [...splits.values()].includes('train'))
  return new Map(alike.flatMap((splits) => [...splits]))
}
