/** A provider of Nuxt Image for an account whose list holds the hosts of the sources. Runs in browsers as well. */
import { deliverImage, settingsOf } from './deliver-image.ts'
import type { NuxtProvider } from './types.ts'

export type { NuxtModifiers, NuxtProvider, NuxtSettings } from './types.ts'

const provider: NuxtProvider = () => ({
  getImage: (src, { modifiers, ...settings }) => ({
    url: deliverImage(settingsOf(settings), src, modifiers).request.address(),
  }),
})

export default provider
