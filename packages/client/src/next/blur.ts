/** Placeholders for `next/image`, made on the server: `<Image {...(await blurProps(settings, src))} src={src} alt="…" />`. */
import { whittle } from '../client.ts'
import { absoluteSource } from '../delivered.ts'
import type { LoaderSettings } from './loader.ts'

/** Attributes of `<Image>`. Next.js shows `blurDataURL` until the image is there. */
export interface BlurProps {
  readonly placeholder: 'blur'
  readonly blurDataURL: string
  readonly width: number
  readonly height: number
}

export interface BlurSettings extends Pick<LoaderSettings, 'base' | 'account' | 'site'> {
  /** The access key of the account, where it needs one. */
  readonly accessKey?: string
}

/** Asks the service what an image is. Fails as the client does; each call is charged like an image, so keep what it returns. */
export const blurProps = async ({ base, account, site, accessKey }: BlurSettings, src: string): Promise<BlurProps> => {
  const images = whittle(base, account, accessKey === undefined ? {} : { key: accessKey })
  const { blurDataURL, width, height } = await images.url(absoluteSource(src, site)).placeholder()
  return { placeholder: 'blur', blurDataURL, width, height }
}
