import type { Setup } from '../playground/setup.ts'
import { html, page } from './pages.ts'

/** Sources of the playground's page: itself, local files, and this service's responses. */
export const PLAYGROUND_RIGHTS = { images: 'blob:', media: 'blob:', connect: "'self'" } as const

/** Returns the page of the playground. Its script builds the content. */
export const playgroundPage = (setup: Setup): string =>
  page({
    title: 'Whittle: images as small as they can be',
    root: setup.path,
    script: 'playground.js',
    setup,
    body: html`<main><noscript><p class="notice">This page needs JavaScript. Programs do not: see <code>curl -fL -F file=@image.png -o small.jpg ${setup.base}/<em>username</em>/full</code></p></noscript></main>
<footer class="foot"><nav aria-label="Documentation"><a href="${setup.path}/-/options">Options</a> <a href="${setup.path}/-/openapi.json">API (OpenAPI)</a></nav>Whittle ${setup.version}</footer>`,
  })
