/** A group of the site's navigation: pages by their path in the repository. */
export interface Group {
  readonly title: string
  readonly pages: readonly string[]
}

/** Pages in the order of the navigation; those of `docs/` that stand in no group follow at the end of the last one. */
const GROUPS: readonly Group[] = [
  {
    title: 'Tutorials',
    pages: ['docs/README.md', 'docs/guides/five-minutes.md', 'docs/guides/how-quality-works.md'],
  },
  {
    title: 'Coming from',
    pages: [
      'docs/guides/from-imageoptim.md',
      'docs/guides/from-imgproxy.md',
      'docs/guides/from-tinypng.md',
      'docs/guides/from-sharp.md',
    ],
  },
  {
    title: 'Sites',
    pages: [
      'docs/guides/wordpress.md',
      'docs/guides/shops.md',
      'docs/guides/static-sites.md',
      'docs/guides/ci.md',
      'docs/delivery.md',
      'docs/signing.md',
      'docs/adapters.md',
      'packages/client/adapters/vite.md',
      'packages/client/adapters/eleventy.md',
      'packages/client/adapters/next.md',
      'packages/client/adapters/nuxt.md',
      'packages/client/adapters/unpic.md',
      'packages/client/adapters/astro.md',
      'packages/wordpress/README.md',
      'docs/agents.md',
    ],
  },
  {
    title: 'Running it',
    pages: [
      'docs/container.md',
      'docs/accounts.md',
      'docs/operations.md',
      'docs/sizing.md',
      'docs/backup.md',
      'docs/upgrade.md',
      'docs/scaling.md',
      'docs/security.md',
      'deploy',
    ],
  },
  {
    title: 'Reference',
    pages: [
      'docs/contract.md',
      'docs/options.md',
      'docs/option-spellings.md',
      'docs/errors.md',
      'docs/information.md',
      'docs/settings.md',
      'docs/files.md',
      'docs/audit.md',
      'docs/library.md',
      'packages/client/README.md',
      'docs/quality.md',
    ],
  },
  {
    title: 'Design',
    pages: [
      'docs/architecture.md',
      'docs/design/README.md',
      'docs/design/search.md',
      'docs/design/webp-avif.md',
      'docs/design/palettes.md',
      'docs/design/jpeg-encoder.md',
      'docs/design/jpeg-xl.md',
      'docs/design/metric.md',
      'docs/design/crop.md',
      'docs/design/gif.md',
      'docs/design/video.md',
      'docs/design/svg.md',
    ],
  },
  {
    title: 'Lab diary',
    pages: [
      'lab/README.md',
      'lab/jpeg-encoder.md',
      'lab/search.md',
      'lab/quality.md',
      'lab/metric.md',
      'lab/crop.md',
      'lab/motion.md',
      'lab/service.md',
      'lab/corpus-check.md',
      'lab/changes-0.1.0.md',
    ],
  },
  {
    title: 'Working on it',
    pages: [
      'CONTRIBUTING.md',
      'docs/dependencies.md',
      'docs/glossary.md',
      'docs/decisions/README.md',
      'SECURITY.md',
      'CHANGELOG.md',
    ],
  },
]

/** Every page of the site but the landing page, as groups; `documents` are the paths of all pages in `docs/`. */
export const contentsOf = (documents: readonly string[]): readonly Group[] => {
  const placed = new Set(GROUPS.flatMap(({ pages }) => pages))
  const others = documents.filter((path) => !placed.has(path))
  return GROUPS.map((group, at) =>
    at === GROUPS.length - 1 ? { ...group, pages: [...group.pages, ...others] } : group,
  )
}
