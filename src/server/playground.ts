import type { Setup } from '../playground/setup.ts'
import { html, page } from './pages.ts'

/** What the playground's page may load: itself, what it was given, and what this service answers. */
export const PLAYGROUND_RIGHTS = { images: 'blob:', media: 'blob:', connect: "'self'" } as const

/** The page of the playground; its script builds what is in it. */
export const playgroundPage = (setup: Setup): string =>
  page({
    title: 'Whittle: images as small as they can be',
    root: setup.path,
    script: 'playground.js',
    setup,
    body: html`<main><noscript><p class="away">This page needs JavaScript. Programs do not: see <code>curl -F file=@image.png -o small.jpg ${setup.base}/<em>username</em>/full</code></p></noscript></main>
<footer class="foot">Whittle ${setup.version}</footer>`,
  })
