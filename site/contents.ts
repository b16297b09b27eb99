/** A group of the site's navigation: pages by their path in the repository. */
export interface Group {
  readonly title: string
  readonly pages: readonly string[]
}

/** Every page of the site but the landing page, in the order of its navigation. */
export const CONTENTS: readonly Group[] = [
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
      'packages/client/README.md',
      'docs/contract.md',
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
      'docs/decisions/0001-own-process-pool.md',
      'docs/decisions/0002-own-jpeg-encoder.md',
      'docs/decisions/0003-two-metrics.md',
      'docs/decisions/0004-ffmpeg-as-a-program.md',
      'docs/decisions/0005-no-http-framework.md',
      'docs/decisions/0006-oxipng-as-wasm.md',
      'SECURITY.md',
      'CHANGELOG.md',
    ],
  },
]
