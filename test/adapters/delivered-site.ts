import { makeSigningKey } from '../../src/core/signing-key.ts'
import { freePort } from '../cluster/servers/process.ts'
import { type Case, start } from '../http/start.ts'
import { makeSite, type Site } from './site.ts'

const PHOTOS = ['public/own.png', 'public/photos/parrots.png']

/** A site of an adapter's page, and the service that delivers its images: unsigned as `shop`, signed as `private-shop`. */
export interface DeliveredSite extends AsyncDisposable {
  readonly site: Site
  readonly service: Case
  /** The port that the site's server listens at, and its address: the page names it `https://www.example.com`. */
  readonly port: number
  readonly address: string
  /** The signing key of `private-shop`. */
  readonly key: string
  /** A page of the served site, with ampersands as browsers read them. */
  readonly pageAt: (path: string) => Promise<string>
}

/** Starts the service and makes the site, which is neither built nor served yet. */
export const openDeliveredSite = async (page: string): Promise<DeliveredSite> => {
  const port = await freePort()
  const address = `http://127.0.0.1:${port}`
  const key = makeSigningKey()
  const service = await start({
    accounts: { shop: { deliver: [`127.0.0.1:${port}`] }, 'private-shop': { signingKey: key } },
  })
  const site = makeSite(page, PHOTOS, { 'https://images.example.com': service.url, 'https://www.example.com': address })
  return {
    site,
    service,
    port,
    address,
    key,
    pageAt: async (path) => (await (await fetch(new URL(path, address))).text()).replaceAll('&amp;', '&'),
    [Symbol.asyncDispose]: async () => {
      site[Symbol.dispose]()
      await service[Symbol.asyncDispose]()
    },
  }
}
