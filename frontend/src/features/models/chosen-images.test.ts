import { expect, test } from 'vitest'

import { chooseImages, mostImages } from './chosen-images'

const image = (name: string) => new File(['x'], name, { type: 'image/png' })
const show = (file: File) => `blob:${file.name}`

test('files that are no images stay behind, and it is said', () => {
  const chosen = chooseImages([image('a.png'), new File(['x'], 'b.pdf', { type: 'application/pdf' })], show)
  expect(chosen.images.map(({ url }) => url)).toEqual(['blob:a.png'])
  expect(chosen.left).toBe('1 file is not an image and stays behind.')
})

test('no more are tried than are answered at once', () => {
  const many = Array.from({ length: mostImages + 2 }, (_, place) => image(`${place}.png`))
  const chosen = chooseImages(many, show)
  expect(chosen.images).toHaveLength(mostImages)
  expect(chosen.left).toBe('Only the first 64 of 66 images are tried.')
  expect(chooseImages([image('a.png')], show).left).toBeNull()
})
