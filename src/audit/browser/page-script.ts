/** JavaScript that runs inside a page. It reads the shown images and changes nothing. */

/** Runs before the page's scripts. Records the address of the largest contentful image (W3C Largest Contentful Paint). */
export const WATCH_LARGEST = `
(() => {
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) globalThis.__whittleLargest = entry.url || ''
  }).observe({ type: 'largest-contentful-paint', buffered: true })
})()`

/** An image on the page. Sizes are in CSS px. */
export interface ShownImage {
  readonly url: string
  readonly role: 'img' | 'background' | 'poster'
  readonly width: number
  readonly height: number
  readonly reservesSpace: boolean
  readonly lazy: boolean
}

export interface ShownPage {
  readonly images: readonly ShownImage[]
  readonly links: readonly string[]
  /** Address of the largest contentful image. Empty if a text is larger. */
  readonly largest: string
}

/** Resolves with a {@link ShownPage} of at most 5000 items of each kind, since a hostile page may have millions. */
export const READ_SHOWN = `
(() => {
  const MAX = 5000
  const images = []
  const add = (url, role, element, more = {}) => {
    if (images.length >= MAX || !/^https?:/.test(url)) return
    const { width, height } = element.getBoundingClientRect()
    images.push({ url, role, width: Math.round(width), height: Math.round(height), reservesSpace: true, lazy: false, ...more })
  }
  for (const element of [...document.querySelectorAll('*')].slice(0, 50000)) {
    if (element instanceof HTMLImageElement) {
      const reservesSpace =
        (element.hasAttribute('width') && element.hasAttribute('height')) || getComputedStyle(element).aspectRatio !== 'auto'
      add(element.currentSrc || element.src, 'img', element, { reservesSpace, lazy: element.loading === 'lazy' })
    }
    if (element instanceof HTMLVideoElement && element.poster) add(element.poster, 'poster', element)
    const { backgroundImage } = getComputedStyle(element)
    for (const [, url] of backgroundImage.matchAll(/url\\("([^"]*)"\\)/g)) add(url, 'background', element)
  }
  const links = [...document.links].slice(0, MAX).map(({ href }) => href).filter((href) => /^https?:/.test(href))
  return { images, links, largest: globalThis.__whittleLargest ?? '' }
})()`

/** Scrolls down in steps, at most 20 screens, so that images with `loading="lazy"` are loaded. */
export const SCROLL = `
(async () => {
  for (let screen = 1; screen <= 20 && scrollY + innerHeight < document.documentElement.scrollHeight; screen++) {
    scrollTo(0, screen * innerHeight)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
})()`
