/** A provider of Nuxt Image with unsigned addresses. The account must list the hosts of the sources. Runs on servers and in browsers. */
import { deliverImage, settingsOf } from './deliver-image.ts'
import type { NuxtProvider } from './types.ts'

export type { NuxtModifiers, NuxtProvider, NuxtSettings } from './types.ts'

const provider: NuxtProvider = () => ({
  getImage: (src, { modifiers, ...settings }) => ({
    url: deliverImage(settingsOf(settings), src, modifiers).request.address(),
  }),
})

export default provider
