type Read<Search> = (search: Record<string, unknown>) => Search

/** What a page reads of its address and nothing besides: the router passes on whatever a reader leaves out, unless that is undefined. */
export function knownSearch<Search extends object>(read: Read<Search>): Read<Search> {
  return (search) => ({ ...Object.fromEntries(Object.keys(search).map((name) => [name, undefined])), ...read(search) })
}
