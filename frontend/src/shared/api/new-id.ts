/** 128 random bits. `crypto.randomUUID` is there on https and on this machine alone, this one also on plain http. */
export function newId(): string {
  return crypto.getRandomValues(new Uint32Array(4)).join('-')
}
