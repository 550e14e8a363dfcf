import { plural } from '../../shared/format/numbers'

export const mostImages = 64
export const mostActivations = 4

export interface ChosenImages {
  /** With an address under which the browser shows them. */
  images: { file: File; url: string }[]
  /** What was left out and why. */
  left: string | null
}

/** The images of what was picked or dropped, as many as are answered at once. */
export function chooseImages(files: readonly File[], show = (file: File) => URL.createObjectURL(file)): ChosenImages {
  const images = files.filter(({ type }) => type.startsWith('image/'))
  const kept = images.slice(0, mostImages)
  const others = files.length - images.length
  const said = [
    ...(others > 0 ? [`${plural(others, 'file')} ${others === 1 ? 'is not an image and stays' : 'are no images and stay'} behind.`] : []),
    ...(images.length > kept.length ? [`Only the first ${mostImages} of ${images.length} images are tried.`] : []),
  ]
  return { images: kept.map((file) => ({ file, url: show(file) })), left: said.join(' ') || null }
}

/** Gives back the memory of the pictures that are shown no longer. */
export function release({ images }: ChosenImages): void {
  for (const { url } of images) URL.revokeObjectURL(url)
}
