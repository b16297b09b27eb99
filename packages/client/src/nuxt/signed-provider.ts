/** A provider of Nuxt Image with signed addresses, for server components only: the key must stay on the server. */
import { signSync } from '../delivered.ts'
import { deliverImage, settingsOf } from './deliver-image.ts'
import type { NuxtProvider } from './types.ts'

export type { NuxtModifiers, NuxtProvider, NuxtSettings } from './types.ts'

/** Loads Node's module only for a signature, because Nuxt also bundles providers for the browser. */
const hmac = (key: string, text: string): string => {
  const { createHmac } = process.getBuiltinModule('node:crypto')
  return createHmac('sha256', key).update(text).digest('base64url')
}

const keyIn = (variable: string): string | undefined => {
  if (typeof process === 'undefined' || process.getBuiltinModule === undefined)
    throw new Error('This provider signs addresses on the server only: use it in a server component (.server.vue).')
  return process.env[variable]
}

const provider: NuxtProvider = () => ({
  getImage: (src, { modifiers, keyVariable = 'WHITTLE_KEY', ...rest }) => {
    const settings = settingsOf(rest)
    return { url: signSync(settings, deliverImage(settings, src, modifiers), { key: keyIn(keyVariable), hmac }) }
  },
})

export default provider
