import { describe, expect, it } from 'vitest'
import { openPeerLoad } from './peer-load.ts'

describe('the load of other nodes', () => {
  it('is unknown to a node that is alone', () => expect(openPeerLoad().isBusy()).toBe(false))

  it('is busy while the mean number of waiting jobs is above zero on all of them', () => {
    const peerLoad = openPeerLoad()
    peerLoad.receiveLoad('a', 1)
    expect(peerLoad.isBusy()).toBe(true)
    peerLoad.receiveLoad('b', 0)
    expect(peerLoad.isBusy()).toBe(false)
    peerLoad.receiveLoad('a', 2)
    expect(peerLoad.isBusy()).toBe(true)
    peerLoad.receiveLoad('a', 0)
    expect(peerLoad.isBusy()).toBe(false)
  })

  it('is forgotten two seconds after the last message', () => {
    let now = 0
    const peerLoad = openPeerLoad(() => now)
    peerLoad.receiveLoad('a', 5)
    now = 2000
    expect(peerLoad.isBusy()).toBe(true)
    now = 2001
    expect(peerLoad.isBusy()).toBe(false)
  })
})
