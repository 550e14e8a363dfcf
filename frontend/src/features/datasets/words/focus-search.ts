/** Of the field that searches the grid. */
export const searchId = 'grid-search'

/** Leads there from the keyboard; false where the page shows none. */
export function focusSearch(): boolean {
  const field = document.getElementById(searchId)
  if (!(field instanceof HTMLInputElement)) return false
  field.focus()
  field.select()
  return true
}
