interface FirstOptionProps {
  /** What is chosen: `dataset`. */
  noun: string
  /** What there is to choose from; undefined while it is being read. */
  among: readonly unknown[] | undefined
}

/** The first option of a choice: it asks for one, or says that there is none. */
export function FirstOption({ noun, among }: FirstOptionProps) {
  return <option value="">{among?.length === 0 ? `no ${noun} yet` : `choose ${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`}</option>
}
