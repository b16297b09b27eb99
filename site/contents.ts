/** A group of the site's navigation: pages by their path in the repository. */
export interface Group {
  readonly title: string
  readonly pages: readonly string[]
}

/** Pages in the order of the navigation; those of `docs/` that stand in no group follow at the end of the last one. */
const GROUPS: readonly Group[] = [
  { title: 'Start here', pages: ['docs/guides/five-minutes.md', 'docs/guides/how-quality-works.md'] },
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
    title: 'Recipes',
    pages: ['docs/guides/wordpress.md', 'docs/guides/shops.md', 'docs/guides/static-sites.md', 'docs/guides/ci.md'],
  },
  {
    title: 'Reference',
    pages: [
      'docs/options.md',
      'docs/errors.md',
      'docs/delivery.md',
      'docs/information.md',
      'docs/files.md',
      'docs/library.md',
      'docs/contract.md',
    ],
  },
  {
    title: 'In programs and sites',
    pages: [
      'packages/client/README.md',
      'docs/adapters.md',
      'packages/client/adapters/vite.md',
      'packages/client/adapters/eleventy.md',
      'packages/client/adapters/next.md',
      'packages/client/adapters/astro.md',
    ],
  },
  {
    title: 'Running it',
    pages: [
      'docs/accounts.md',
      'docs/settings.md',
      'docs/operations.md',
      'docs/scaling.md',
      'docs/security.md',
      'deploy',
    ],
  },
  {
    title: 'How it works',
    pages: [
      'docs/quality.md',
      'docs/search.md',
      'docs/jpeg-encoder.md',
      'docs/metric.md',
      'docs/motion.md',
      'docs/crop.md',
      'docs/corpus-check.md',
      'docs/lab/jpeg-encoder.md',
    ],
  },
  {
    title: 'Working on it',
    pages: [
      'CONTRIBUTING.md',
      'docs/architecture.md',
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
