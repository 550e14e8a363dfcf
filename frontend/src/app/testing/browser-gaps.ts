/** What pages need of a browser and jsdom does not have. */
import 'fake-indexeddb/auto'

const noMedia = { matches: false, addEventListener: () => undefined, removeEventListener: () => undefined }
window.matchMedia = () => noMedia as unknown as MediaQueryList
Element.prototype.scrollIntoView = () => undefined
HTMLElement.prototype.showPopover = function (this: HTMLElement) {
  // Its style sheet hides what has the attribute, and knows no top layer to show it in.
  this.removeAttribute('popover')
}
window.scrollTo = () => undefined
window.ResizeObserver = class {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}
HTMLImageElement.prototype.decode = () => Promise.resolve()
