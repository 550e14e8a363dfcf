/** For how many days a token may be good, as choices. */
export const lifetimes = [7, 30, 90, 365].map((days) => [String(days), `in ${days} days`] as const)
