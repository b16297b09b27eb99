import { describe, expect, it } from 'vitest'
import { openPeerLoad } from './peer-load.ts'

describe('the load of other nodes', () => {
  it('is unknown to a node that is alone', () => expect(openPeerLoad().isBusy()).toBe(false))

  it('is busy while the mean number of waiting jobs is above zero on all of them', () => {
    const peerLoad = openPeerLoad()
    peerLoad.hear('a', 1)
    expect(peerLoad.isBusy()).toBe(true)
    peerLoad.hear('b', 0)
    expect(peerLoad.isBusy()).toBe(false)
    peerLoad.hear('a', 2)
    expect(peerLoad.isBusy()).toBe(true)
    peerLoad.hear('a', 0)
    expect(peerLoad.isBusy()).toBe(false)
  })

  it('is forgotten two seconds after the last message', () => {
    let now = 0
    const peerLoad = openPeerLoad(() => now)
    peerLoad.hear('a', 5)
    now = 2000
    expect(peerLoad.isBusy()).toBe(true)
    now = 2001
    expect(peerLoad.isBusy()).toBe(false)
  })
})
