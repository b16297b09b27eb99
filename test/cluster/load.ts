import type { Cluster } from './cluster.ts'
import { picture } from './pictures.ts'
import { post, type Reply } from './requests.ts'

/** Responses of clients during an event on the servers. */
export interface Load {
  readonly replies: readonly Reply[]
  /** Requests that ended without a response. */
  readonly broken: number
}

let seed = 1_000_000

/** Lets `clients` clients send new images through nginx, one after the other, while `event` goes on. */
export const underLoad = async (
  { front }: Cluster,
  { clients, username }: { readonly clients: number; readonly username: string },
  event: () => Promise<void>,
): Promise<Load> => {
  const replies: Reply[] = []
  let broken = 0
  let goesOn = true
  const client = async (): Promise<void> => {
    while (goesOn) {
      seed += 1
      const image = await picture(seed, 400)
      const reply = await post(front, image, username).catch(() => undefined)
      if (reply === undefined) broken += 1
      else replies.push(reply)
      // A client that is refused does not come back at once.
      if (reply?.status !== 200) await new Promise((resolve) => setTimeout(resolve, 200))
    }
  }
  const all = Array.from({ length: clients }, client)
  await event().finally(() => {
    goesOn = false
  })
  await Promise.all(all)
  return { replies, broken }
}
