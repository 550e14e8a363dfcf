import { usePreference } from '../../../shared/preferences/use-preference'
import type { DrawingOrder } from './core/editor-preferences'

const words: Record<DrawingOrder, string> = { 'draw-first': 'Draw, then name', 'name-first': 'Name, then draw' }
const orders = ['draw-first', 'name-first'] as const

const readOrder = (stored: unknown): DrawingOrder | null => orders.find((order) => order === stored) ?? null

/** Which of the two a person chose; null before they did. */
export function useDrawingOrder() {
  return usePreference<DrawingOrder | null>('drawing-order', readOrder)
}

/** What a class key means after drawing: the shape that was just drawn, or the next one. */
export function OrderSwitch() {
  const [order, choose] = useDrawingOrder()
  return (
    <div className="row small" role="group" aria-label="Order of drawing and naming">
      {orders.map((each) => (
        <button key={each} type="button" className="button little" aria-pressed={(order ?? 'draw-first') === each} onClick={() => choose(each)}>
          {words[each]}
        </button>
      ))}
    </div>
  )
}

/** Asks once which order suits, as soon as something was drawn. */
export function OrderOffer() {
  const [order, choose] = useDrawingOrder()
  if (order !== null) return null
  return (
    <div className="notice row wrap" role="status">
      <span className="grow">A class key names the shape that you just drew. Would you rather choose the class before you draw?</span>
      {orders.map((each) => (
        <button key={each} type="button" className="button little" onClick={() => choose(each)}>
          {words[each]}
        </button>
      ))}
    </div>
  )
}
