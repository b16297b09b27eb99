/** Placeholders for `next/image`, from a server component: `<Image {...(await blurProps(settings, src))} src={src} alt="…" />`. */
import { whittle } from '../client.ts'
import { absoluteSource } from '../delivered.ts'
import type { LoaderSettings } from './loader.ts'

/** Attributes of `<Image>`. Next.js shows `blurDataURL` until the image has loaded. */
export interface BlurProps {
  readonly placeholder: 'blur'
  readonly blurDataURL: string
  readonly width: number
  readonly height: number
}

/** Settings of {@link blurProps}. */
export interface BlurSettings extends Pick<LoaderSettings, 'base' | 'account' | 'site'> {
  /** Access key of the account, if it requires one. */
  readonly accessKey?: string
}

/** Requests the placeholder and the size of an image from the service. Fails like the client. Each call costs the quota one image, so store the result. */
export const blurProps = async ({ base, account, site, accessKey }: BlurSettings, src: string): Promise<BlurProps> => {
  const images = whittle(base, account, accessKey === undefined ? {} : { key: accessKey })
  const { blurDataURL, width, height } = await images.url(absoluteSource(src, site)).placeholder()
  return { placeholder: 'blur', blurDataURL, width, height }
}
