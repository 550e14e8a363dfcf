/** The tags of a sample: the texts in the list `tags` of its metadata. */
export function tagsOf(meta: Record<string, unknown>): string[] {
  return Array.isArray(meta.tags) ? meta.tags.filter((tag): tag is string => typeof tag === 'string') : []
}

/** What is typed with commas between, each once. */
export function typedTags(text: string): string[] {
  return [...new Set(text.split(',').map((tag) => tag.trim()))].filter((tag) => tag !== '')
}
