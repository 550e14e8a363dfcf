import { plural } from './numbers'

/** That so many samples were left out, as test images show nearly the same; nothing where there are none. */
export function leftOutWords(number: unknown, one: string, many: string): string | null {
  if (typeof number !== 'number' || number === 0) return null
  return `${plural(number, one, many)} left out: ${number === 1 ? 'a near-duplicate' : 'near-duplicates'} of test images.`
}
