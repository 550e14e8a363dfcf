/** As the `ref` of a picture: once it is out of the page, nothing more of it is read. A browser would go on, and what is
 * asked for next would wait behind pictures that nobody sees. */
export function untilGone(image: HTMLImageElement) {
  return () =>
    queueMicrotask(() => {
      if (!image.isConnected && !image.complete) image.removeAttribute('src')
    })
}
