/** A provider of Nuxt Image whose addresses are signed: for server components alone, since the key stays on the server. */
import { signAtOnce } from '../delivered.ts'
import { deliverImage, settingsOf } from './deliver-image.ts'
import type { NuxtProvider } from './types.ts'

export type { NuxtModifiers, NuxtProvider, NuxtSettings } from './types.ts'

/** Nuxt puts providers into the browser's bundle too, so Node's module is asked for when an address is signed. */
const hmac = (key: string, text: string): string => {
  const { createHmac } = process.getBuiltinModule('node:crypto')
  return createHmac('sha256', key).update(text).digest('base64url')
}

const keyIn = (variable: string): string | undefined => {
  if (typeof process === 'undefined' || process.getBuiltinModule === undefined)
    throw new Error('Signed addresses are made on the server: use this provider in a server component (.server.vue).')
  return process.env[variable]
}

const provider: NuxtProvider = () => ({
  getImage: (src, { modifiers, keyVariable = 'WHITTLE_KEY', ...rest }) => {
    const settings = settingsOf(rest)
    return { url: signAtOnce(settings, deliverImage(settings, src, modifiers), { key: keyIn(keyVariable), hmac }) }
  },
})

export default provider
