/** How a network reads images, as it is typed: what is empty, its file says. */
export interface ReadingDraft {
  inputSize: string
  layout: 'nchw' | 'nhwc'
  scale: '255' | '1'
  mean: string
  std: string
}

export const asTheFileSays: ReadingDraft = { inputSize: '', layout: 'nchw', scale: '255', mean: '', std: '' }

/** `0.5, 0.5 0.5` -> [0.5, 0.5, 0.5]; null where something else stands among them. */
export function numbersOf(text: string): number[] | null {
  const numbers = text.split(/[\s,;]+/).filter((word) => word !== '').map(Number)
  return numbers.every(Number.isFinite) ? numbers : null
}

const faults = {
  inputSize: 'Type whole numbers: channels, height and width, such as 3, 224, 224.',
  each: 'Type a number for each channel, with points for decimals: 0.485, 0.456, 0.406.',
}

/** What is wrong with what is typed, by the server's names. */
export function readingFaults({ inputSize, mean, std }: ReadingDraft) {
  const size = numbersOf(inputSize)
  return {
    'metadata.input_size': inputSize.trim() === '' || (size?.length === 3 && size.every((side) => Number.isInteger(side) && side > 0)) ? null : faults.inputSize,
    'metadata.mean': numbersOf(mean) === null ? faults.each : null,
    'metadata.std': numbersOf(std) === null ? faults.each : null,
  }
}

/** What is sent of it: only what is typed, and what differs from how most networks read. */
export function readingOf({ inputSize, layout, scale, mean, std }: ReadingDraft): Record<string, unknown> {
  const lists = { input_size: numbersOf(inputSize), mean: numbersOf(mean), std: numbersOf(std) }
  return {
    ...Object.fromEntries(Object.entries(lists).filter(([, numbers]) => numbers !== null && numbers.length > 0)),
    ...(layout === asTheFileSays.layout ? {} : { layout }),
    ...(scale === asTheFileSays.scale ? {} : { scale }),
  }
}
