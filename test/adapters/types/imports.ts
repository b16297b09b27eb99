/** Compiled by a test, never run: the types of imports. */
import '@whittle-images/client/vite/modules'
import picture from './photo.png?w=400;800&as=picture&whittle'
import srcset from './photo.png?w=400;800&as=srcset&whittle'
import url from './photo.png?whittle'

export const texts: readonly string[] = [srcset, url, picture.img.src]
export const sources: Readonly<Record<string, string>> = picture.sources
