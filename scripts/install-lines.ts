/**
 * Install lines of README, docs and adapter pages: tarballs of a checkout until the packages are on the registry.
 * At the first release set IS_RELEASED to true and run `npm run docs`, which writes the names of the registry.
 */
import { readFileSync } from 'node:fs'

/** Whether @whittle-images/whittle and @whittle-images/client are on the registry. */
export const IS_RELEASED = false

const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string }

/** `npm pack DIR && npm install FLAGS ./tarball`, or the same by the name of the package. */
const INSTALL =
  /(?:npm pack(?: [\w./-]+)? && )?npm install((?: -[\w-]+)*) (?:\.\/whittle-images-(whittle|client)-[\d.]+\.tgz|@whittle-images\/(whittle|client))/g

/** Texts that are true only before the release, between comments that no page shows. */
const BEFORE_RELEASE = /<!-- before the release -->[\s\S]*?<!-- \/before the release -->\n*/g

const withVersion = (text: string): string =>
  text.replaceAll(/(whittle-images-(?:whittle|client)-)[\d.]+(?=\.tgz)/g, `$1${version}`)

/** A page as the setting wants it. After the release nothing leads back: the texts of before are gone. */
export const withInstallLines = (text: string, isReleased: boolean = IS_RELEASED): string =>
  isReleased
    ? text
        .replaceAll(BEFORE_RELEASE, '')
        .replaceAll(
          INSTALL,
          (_, flags: string, tarball?: string, name?: string) =>
            `npm install${flags} @whittle-images/${tarball ?? name}`,
        )
    : withVersion(text)

/** Install lines of a page, as a reader would copy them. */
export const installLinesOf = (text: string): readonly string[] => [...text.matchAll(INSTALL)].map(([line]) => line)
