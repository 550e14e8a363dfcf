import { useOutbox } from '../features/labeling/outbox-app'
import { SaveLine } from '../features/labeling/save-line'

/** Labels that still wait are worth a line on every page; silence means that all is saved. */
export default function Unsent() {
  const { waiting, refused } = useOutbox()
  return waiting + refused.length === 0 ? null : <SaveLine />
}
