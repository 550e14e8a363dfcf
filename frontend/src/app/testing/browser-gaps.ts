/** What pages need of a browser and jsdom does not have. */
import 'fake-indexeddb/auto'

const noMedia = { matches: false, addEventListener: () => undefined, removeEventListener: () => undefined }
window.matchMedia = () => noMedia as unknown as MediaQueryList
Element.prototype.scrollIntoView = () => undefined
window.scrollTo = () => undefined
window.ResizeObserver = class {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}
HTMLImageElement.prototype.decode = () => Promise.resolve()
