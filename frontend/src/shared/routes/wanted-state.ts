declare module '@tanstack/react-router' {
  interface HistoryState {
    /** Keys of samples that a form of mining begins with: too many for an address, and kept over a reload. */
    wanted?: readonly string[]
  }
}

/** Goes with a link to the form of mining: the samples of which more are wanted. */
export function wantedState(keys: readonly string[]): { wanted: readonly string[] } {
  return { wanted: keys }
}
