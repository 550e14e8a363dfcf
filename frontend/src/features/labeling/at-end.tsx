import { later } from '../../shared/ui/later'

/** What comes after the last image of a queue: nobody needs it to begin. */
export const AtEnd = later(async () => (await import('./finished')).Finished)
