interface Read {
  /** Null when nothing was typed. */
  config: Record<string, unknown> | null
  fault: string | null
}

/** Typed JSON as an object, or what is wrong with it. */
export function readConfig(typed: string): Read {
  if (typed.trim() === '') return { config: null, fault: null }
  try {
    const found: unknown = JSON.parse(typed)
    if (typeof found === 'object' && found !== null && !Array.isArray(found)) return { config: found as Record<string, unknown>, fault: null }
  } catch {
    return { config: null, fault: 'This is not JSON: put names and words in double quotes.' }
  }
  return { config: null, fault: 'Type a JSON object: start with { and end with }.' }
}
