import { readFileSync } from 'node:fs'
import { defineConfig } from 'vitepress'

const sidebar = JSON.parse(readFileSync(new URL('.sidebar.json', import.meta.url), 'utf8'))

/** The site: everything comes from where it lies, search included; nothing is asked of another host. Dead links fail the build. */
export default defineConfig({
  title: 'Whittle',
  description: 'Self-hosted HTTP service that makes images as small as they can be at a guaranteed perceived quality',
  lang: 'en',
  base: process.env['SITE_BASE'] ?? '/',
  srcDir: '.pages',
  // Copies for programs, which are served as they are.
  srcExclude: ['public/**'],
  outDir: 'dist',
  cleanUrls: false,
  lastUpdated: false,
  ignoreDeadLinks: false,
  head: [
    ['link', { rel: 'icon', href: `${process.env['SITE_BASE'] ?? '/'}icon.svg` }],
    ['meta', { name: 'color-scheme', content: 'light dark' }],
  ],
  // Programs find each page's Markdown next to it.
  transformHead: ({ pageData: { relativePath } }) =>
    relativePath === 'index.md' || relativePath === '404.md'
      ? []
      : [
          [
            'link',
            {
              rel: 'alternate',
              type: 'text/markdown',
              href: `${process.env['SITE_BASE'] ?? '/'}${relativePath}`,
            },
          ],
        ],
  markdown: {
    theme: { light: 'github-light-high-contrast', dark: 'github-dark-high-contrast' },
  },
  themeConfig: {
    logo: '/icon.svg',
    search: { provider: 'local', options: { detailedView: false } },
    nav: [
      { text: 'Guides', link: '/guides/five-minutes', activeMatch: '^/guides/' },
      { text: 'Options', link: '/options' },
      { text: 'Delivery', link: '/delivery' },
      { text: 'Running it', link: '/operations' },
    ],
    sidebar,
    outline: { level: [2, 3] },
    docFooter: { prev: 'Before this', next: 'After this' },
    darkModeSwitchLabel: 'Colours',
    footer: { message: 'MIT licence' },
  },
})
