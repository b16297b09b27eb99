import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { makeAccessKey } from '../../src/core/access-key.ts'
import { makeSigningKey } from '../../src/core/signing-key.ts'
import type { AccountAdmin, Accounts } from '../../src/ports/accounts.ts'

export type OpenAccounts = Accounts & AccountAdmin

export interface AccountsUnderTest {
  /** Opens another connection to the same store, which is empty at first. */
  readonly open: (settings: { now: () => Date; trialQuota: number; staleAfter?: number }) => Promise<OpenAccounts>
  /** Deletes the store after every connection is closed. */
  readonly discard: () => Promise<void>
}

const numbered = (count: number, name = 'request'): string[] => Array.from({ length: count }, (_, n) => `${name}-${n}`)

/** Accounts of a test. All are closed and the store is discarded after it. */
interface Fixture {
  /** Opens this many connections to a new store, at noon of 30 May 2026. */
  readonly openSome: (connections: number) => Promise<OpenAccounts[]>
  readonly openOne: () => Promise<OpenAccounts>
  /** Opens another connection to the same store. */
  readonly openMore: () => Promise<OpenAccounts>
  readonly clock: { readonly set: (date: Date) => void; readonly pass: (ms: number) => void }
}

const openFixture = (create: () => Promise<AccountsUnderTest>): Fixture & { readonly close: () => Promise<void> } => {
  let date = new Date(0)
  let store: AccountsUnderTest
  const ends: (() => Promise<void>)[] = []
  const openMore = async (): Promise<OpenAccounts> => {
    const opened = await store.open({ now: () => date, trialQuota: 3, staleAfter: 60_000 })
    ends.push(opened.close)
    return opened
  }
  const openSome = async (connections: number): Promise<OpenAccounts[]> => {
    date = new Date('2026-05-30T12:00:00Z')
    store = await create()
    ends.push(store.discard)
    return Promise.all(Array.from({ length: connections }, openMore))
  }
  return {
    openSome,
    openOne: async () => (await openSome(1))[0]!,
    openMore,
    clock: {
      set: (to) => {
        date = to
      },
      pass: (ms) => {
        date = new Date(date.getTime() + ms)
      },
    },
    close: async () => {
      for (const end of ends.splice(0).reverse()) await end()
    },
  }
}

/** Tests of the stored settings of an account. */
const testSettings = ({ openOne, openSome }: Fixture): void => {
  test('an account is found by exactly its name', async () => {
    const accounts = await openOne()
    await accounts.add('Ada', {})
    expect(await accounts.find('Ada')).toEqual({
      username: 'Ada',
      plan: 'standard',
      suspended: false,
      period: 'month',
      used: 0,
      limits: {},
    })
    expect(await accounts.find('ada')).toBeUndefined()
    expect(await accounts.find("Ada' or '1'='1")).toBeUndefined()
  })

  test('the fallback image and its lifetime are stored, changed separately, and removed', async () => {
    const accounts = await openOne()
    await accounts.add('ada', { fallback: 'https://example.com/none.png' })
    expect((await accounts.find('ada'))?.fallback).toEqual({ url: 'https://example.com/none.png' })
    await accounts.set('ada', { fallbackMaxAge: 300 })
    expect((await accounts.find('ada'))?.fallback).toEqual({ url: 'https://example.com/none.png', maxAge: 300 })
    await accounts.set('ada', { fallback: null })
    expect(await accounts.find('ada')).not.toHaveProperty('fallback')
  })

  test('delivery hosts and the two newest keys are stored', async () => {
    const accounts = await openOne()
    const keys = [makeSigningKey(), makeSigningKey(), makeSigningKey()]
    await accounts.add('ada', { deliver: ['example.com', '*.example.org'], signingKey: keys[0]! })
    for (const key of keys.slice(1)) await accounts.set('ada', { signingKey: key })
    const { delivery } = (await accounts.find('ada'))!
    expect(delivery?.hosts).toEqual(['example.com', '*.example.org'])
    expect(delivery?.keys.map((key) => key.reveal())).toEqual([keys[2], keys[1]])
    await accounts.set('ada', { deliver: null, signingKey: null })
    expect(await accounts.find('ada')).not.toHaveProperty('delivery')
  })

  test("the two newest access keys are stored as digests, with the account's restrictions", async () => {
    const accounts = await openOne()
    const keys = [makeAccessKey(), makeAccessKey(), makeAccessKey()]
    const lists = { addresses: ['10.0.0.0/8', '::1'], formats: ['jpeg'], sizes: ['full', '300x200'] }
    const presets = new Map([['card', '300x200,crop']])
    await accounts.add('ada', { accessKey: keys[0]!, ...lists, presets, meta: 'copyright' })
    for (const accessKey of keys.slice(1)) await accounts.set('ada', { accessKey })
    const ada = (await accounts.find('ada'))!
    expect(keys.map((key) => ada.access!.keys.map((valid) => valid.is(key)))).toEqual([
      [false, false],
      [false, true],
      [true, false],
    ])
    expect(ada.access).toMatchObject(lists)
    expect([ada.presets, ada.meta]).toEqual([presets, 'copyright'])
    const none = { accessKey: null, addresses: null, formats: null, sizes: null, presets: null, meta: null }
    const bare = await accounts.set('ada', none)
    for (const name of ['access', 'presets', 'meta']) expect(bare).not.toHaveProperty(name)
  })

  test('both keys of two concurrent rotations are valid', async () => {
    const [one, two] = (await openSome(2)) as [OpenAccounts, OpenAccounts]
    const keys = [makeSigningKey(), makeSigningKey(), makeSigningKey()]
    await one.add('ada', { signingKey: keys[0]! })
    await Promise.all([one.set('ada', { signingKey: keys[1]! }), two.set('ada', { signingKey: keys[2]! })])
    const valid = (await one.find('ada'))?.delivery?.keys.map((key) => key.reveal())
    expect(valid?.toSorted()).toEqual([keys[1]!, keys[2]!].toSorted())
  })

  test('every limit of an account is stored exactly', async () => {
    const accounts = await openOne()
    const limits = { maxBytes: 2 ** 40 + 1, maxPixels: 2 ** 33 + 1, maxSide: 20_001, maxTimeout: 12.25, rate: 0.5 }
    await accounts.add('ada', { limits })
    expect((await accounts.find('ada'))?.limits).toEqual(limits)
    const none = { maxBytes: null, maxPixels: null, maxSide: null, maxTimeout: null, rate: null }
    expect((await accounts.set('ada', { limits: none }))?.limits).toEqual({})
  })

  test('only given settings change, and null resets them', async () => {
    const accounts = await openOne()
    await accounts.add('ada', { quota: 7, period: 'total', limits: { maxBytes: 6e9, maxTimeout: 2.5, rate: 0 } })
    expect(await accounts.set('ada', { suspended: true, limits: { maxSide: 500 } })).toMatchObject({
      quota: 7,
      period: 'total',
      suspended: true,
      limits: { maxBytes: 6e9, maxTimeout: 2.5, rate: 0, maxSide: 500 },
    })
    const changed = await accounts.set('ada', { quota: null, suspended: false, limits: { maxBytes: null } })
    expect(changed).not.toHaveProperty('quota')
    expect(changed?.limits).toEqual({ maxTimeout: 2.5, rate: 0, maxSide: 500 })
    expect(changed?.suspended).toBe(false)
    expect(await accounts.set('nobody', { quota: 1 })).toBeUndefined()
    expect(await accounts.set('ada', {})).toEqual(changed)
  })

  test('accounts are listed by name', async () => {
    const accounts = await openOne()
    for (const username of ['carl', 'ada', 'bob']) await accounts.add(username, {})
    expect((await accounts.list()).map((account) => account.username)).toEqual(['ada', 'bob', 'carl'])
  })
}

/** Tests of usernames. */
const testNames = ({ openOne }: Fixture): void => {
  test.each([
    ['-ada'],
    [''],
    ['a b'],
    ['a/b'],
    ['é'],
    ['.'],
    ['..'],
    ['a'.repeat(65)],
    ['ada\n'],
  ])('%j cannot be a username', async (username) => {
    const accounts = await openOne()
    await expect(accounts.add(username, {})).rejects.toThrow('cannot be a username')
    expect(await accounts.list()).toEqual([])
  })

  test.each([['a'], ['_'], ['.hidden'], ['A-b_c.9'], ['0'], ['a'.repeat(64)]])('%j can be one', async (username) => {
    const accounts = await openOne()
    expect((await accounts.add(username, {})).username).toBe(username)
  })

  test('a name is used once, and the first account keeps its settings', async () => {
    const accounts = await openOne()
    await accounts.add('ada', { quota: 5 })
    await expect(accounts.add('ada', { quota: 500 })).rejects.toThrow('There is already an account "ada".')
    expect((await accounts.find('ada'))?.quota).toBe(5)
  })

  test('a removed account loses its history, and its name can be used again', async () => {
    const accounts = await openOne()
    await accounts.add('ada', { quota: 1 })
    await accounts.reserve('ada', 'one')
    expect(await accounts.remove('ada')).toBe(true)
    expect(await accounts.remove('ada')).toBe(false)
    expect(await accounts.usage('ada')).toEqual([])
    await accounts.add('ada', { quota: 1 })
    await accounts.release('one')
    expect((await accounts.find('ada'))?.used).toBe(0)
  })
}

/** Tests of one charge a request. */
const testCharges = ({ openOne }: Fixture): void => {
  test('unknown and suspended accounts can neither reserve nor be charged', async () => {
    const accounts = await openOne()
    await accounts.add('ada', { suspended: true })
    expect(await accounts.reserve('ada', 'one')).toBe(false)
    expect(await accounts.reserve('nobody', 'two')).toBe(false)
    expect((await accounts.find('ada'))?.used).toBe(0)
  })

  test('a quota of 0 allows nothing, no quota allows everything', async () => {
    const accounts = await openOne()
    await accounts.add('none', { quota: 0 })
    await accounts.add('all', {})
    expect(await accounts.reserve('none', 'one')).toBe(false)
    for (const id of numbered(20)) expect(await accounts.reserve('all', id)).toBe(true)
    expect((await accounts.find('all'))?.used).toBe(20)
  })

  test('the same request id is charged once, even when the quota is used up by it', async () => {
    const accounts = await openOne()
    await accounts.add('ada', { quota: 1 })
    expect(await accounts.reserve('ada', 'one')).toBe(true)
    expect(await accounts.reserve('ada', 'one')).toBe(true)
    expect(await accounts.reserve('ada', 'two')).toBe(false)
    await accounts.settle('one')
    expect(await accounts.reserve('ada', 'one')).toBe(true)
    expect((await accounts.find('ada'))?.used).toBe(1)
  })

  test('releasing a refused reservation has no effect', async () => {
    const accounts = await openOne()
    await accounts.add('ada', { quota: 1 })
    await accounts.reserve('ada', 'one')
    expect(await accounts.reserve('ada', 'two')).toBe(false)
    await accounts.release('two')
    expect((await accounts.find('ada'))?.used).toBe(1)
  })

  test('a release takes effect once, and never after a settlement', async () => {
    const accounts = await openOne()
    await accounts.add('ada', { quota: 2 })
    await accounts.reserve('ada', 'one')
    await accounts.reserve('ada', 'two')
    await accounts.settle('two')
    for (const id of ['one', 'one', 'two', 'never']) await accounts.release(id)
    expect((await accounts.find('ada'))?.used).toBe(1)
  })

  test('settling without a reservation charges nothing', async () => {
    const accounts = await openOne()
    await accounts.add('ada', {})
    await accounts.reserve('ada', 'one')
    await accounts.release('one')
    await accounts.settle('one')
    await accounts.settle('never')
    expect((await accounts.find('ada'))?.used).toBe(0)
  })
}

/** Tests of charges that several attempts or clients hold. */
const testSharedCharges = ({ openSome }: Fixture): void => {
  test('releasing one attempt of a request does not affect another running attempt', async () => {
    const [one, two] = (await openSome(2)) as [OpenAccounts, OpenAccounts]
    await one.add('ada', { quota: 1 })
    for (const again of [one, two]) {
      // The node that a proxy gave up on notices after the next one has begun.
      expect(await one.reserve('ada', 'same', { name: 'first' })).toBe(true)
      expect(await again.reserve('ada', 'same', { name: 'second' })).toBe(true)
      await one.release('same', 'first')
      expect((await one.find('ada'))?.used).toBe(1)
      await again.release('same', 'second')
      expect((await one.find('ada'))?.used).toBe(0)
    }
    await one.reserve('ada', 'same', { name: 'first' })
    await two.reserve('ada', 'same', { name: 'second' })
    await one.release('same', 'first')
    await two.settle('same')
    await one.release('same', 'second')
    expect((await one.find('ada'))?.used).toBe(1)
  })

  test('a shared charge is released by its last holder, and settled by any', async () => {
    const [one, two] = (await openSome(2)) as [OpenAccounts, OpenAccounts]
    await one.add('ada', { quota: 1 })
    const hold = (accounts: OpenAccounts, name: string) => accounts.reserve('ada', 'same', { name, jointly: true })
    const used = async () => (await one.find('ada'))?.used
    for (const order of [
      ['first', 'second', 'third'],
      ['third', 'first', 'second'],
    ]) {
      expect(await Promise.all([hold(one, 'first'), hold(two, 'second'), hold(two, 'third')])).toEqual([
        true,
        true,
        true,
      ])
      const left: unknown[] = []
      for (const name of order) {
        await two.release('same', name)
        left.push(await used())
      }
      expect(left).toEqual([1, 1, 0])
    }
    await hold(one, 'first')
    await hold(two, 'second')
    // Its client disconnected; the other client has received its image.
    await two.release('same', 'second')
    await one.settle('same')
    expect(await used()).toBe(1)
    expect(await hold(two, 'third')).toBe(true)
    await two.release('same', 'third')
    expect(await used()).toBe(1)
  })
}

/** Tests of quotas by month and in total, and of trials. */
const testPeriods = ({ openOne, clock }: Fixture): void => {
  test('a monthly quota restarts with the UTC month, and the history keeps each month', async () => {
    const accounts = await openOne()
    await accounts.add('ada', { quota: 2 })
    clock.set(new Date('2026-05-31T23:59:59.999Z'))
    expect(await accounts.reserve('ada', 'one')).toBe(true)
    expect(await accounts.reserve('ada', 'two')).toBe(true)
    expect(await accounts.reserve('ada', 'three')).toBe(false)
    clock.set(new Date('2026-06-01T00:00:00Z'))
    expect((await accounts.find('ada'))?.used).toBe(0)
    expect(await accounts.reserve('ada', 'three')).toBe(true)
    await accounts.release('two')
    expect(await accounts.usage('ada')).toEqual([
      { period: '2026-06', used: 1 },
      { period: '2026-05', used: 1 },
    ])
  })

  test('a total quota spans months', async () => {
    const accounts = await openOne()
    await accounts.add('ada', { quota: 2, period: 'total' })
    await accounts.reserve('ada', 'one')
    clock.set(new Date('2027-01-01T00:00:00Z'))
    await accounts.reserve('ada', 'two')
    expect(await accounts.reserve('ada', 'three')).toBe(false)
    expect((await accounts.find('ada'))?.used).toBe(2)
    expect(await accounts.usage('ada')).toEqual([
      { period: '2027-01', used: 1 },
      { period: '2026-05', used: 1 },
    ])
  })

  test('changing the period keeps earlier use', async () => {
    const accounts = await openOne()
    await accounts.add('ada', { quota: 3 })
    for (const id of ['one', 'two']) await accounts.reserve('ada', id)
    clock.set(new Date('2026-06-01T00:00:00Z'))
    await accounts.reserve('ada', 'three')
    expect(await accounts.set('ada', { period: 'total' })).toMatchObject({ used: 3, period: 'total' })
    expect(await accounts.reserve('ada', 'four')).toBe(false)
    expect(await accounts.set('ada', { period: 'month' })).toMatchObject({ used: 1, period: 'month' })
  })

  test("a trial has the setting's total quota, or its own", async () => {
    const accounts = await openOne()
    await accounts.add('ada', { plan: 'trial' })
    expect(await accounts.find('ada')).toMatchObject({ plan: 'trial', quota: 3, period: 'total' })
    for (const id of ['one', 'two', 'three']) expect(await accounts.reserve('ada', id)).toBe(true)
    clock.set(new Date('2027-05-30T12:00:00Z'))
    expect(await accounts.reserve('ada', 'four')).toBe(false)
    expect(await accounts.set('ada', { quota: 4 })).toMatchObject({ quota: 4, used: 3 })
    expect(await accounts.reserve('ada', 'four')).toBe(true)
    expect(await accounts.set('ada', { plan: 'paid', quota: null })).not.toHaveProperty('quota')
  })
}

/** Tests of reservations that time releases. */
const testStaleReservations = ({ openOne, openMore, clock }: Fixture): void => {
  test('a later attempt of a request restarts its time', async () => {
    const killed = await openOne()
    await killed.add('ada', {})
    await killed.reserve('ada', 'again')
    clock.pass(59_000)
    await killed.reserve('ada', 'again', { name: 'second' })
    clock.pass(59_000)
    expect((await (await openMore()).find('ada'))?.used).toBe(1)
  })

  test('a renewed reservation is never released by time', async () => {
    const working = await openOne()
    await working.add('ada', { quota: 1 })
    await working.reserve('ada', 'long')
    for (let minutes = 0; minutes < 30; minutes += 1) {
      clock.pass(59_000)
      await working.renew('long')
      await working.renew('unknown')
    }
    const other = await openMore()
    expect([await other.reserve('ada', 'more'), (await other.find('ada'))?.used]).toEqual([false, 1])
    clock.pass(60_001)
    expect((await (await openMore()).find('ada'))?.used).toBe(0)
  })

  test('opening releases the stale reservations of a killed process, not settled ones', async () => {
    const killed = await openOne()
    await killed.add('ada', { quota: 2 })
    await killed.reserve('ada', 'left')
    await killed.reserve('ada', 'kept')
    await killed.settle('kept')
    clock.pass(59_000)
    expect((await (await openMore()).find('ada'))?.used).toBe(2)
    clock.pass(1_001)
    const next = await openMore()
    expect((await next.find('ada'))?.used).toBe(1)
    // A late process can neither release nor settle it.
    await killed.release('left')
    await killed.settle('left')
    expect((await next.find('ada'))?.used).toBe(1)
  })
}

/** Tests of several connections at once. */
const testConcurrency = ({ openSome }: Fixture): void => {
  test('concurrent connections use the whole quota and never exceed it', async () => {
    const connections = await openSome(4)
    await connections[0]!.add('ada', { quota: 50 })
    const granted = await Promise.all(
      numbered(200).map((id, n) => connections[n % connections.length]!.reserve('ada', id)),
    )
    expect(granted.filter(Boolean)).toHaveLength(50)
    expect((await connections[1]!.find('ada'))?.used).toBe(50)
  })

  test('equal request ids on all connections are charged once each', async () => {
    const connections = await openSome(4)
    await connections[0]!.add('ada', { quota: 40 })
    const ids = numbered(30)
    const granted = await Promise.all(connections.flatMap((one) => ids.map((id) => one.reserve('ada', id))))
    expect(granted).not.toContain(false)
    expect((await connections[0]!.find('ada'))?.used).toBe(30)
  })

  test('concurrent releases take effect once', async () => {
    const connections = await openSome(3)
    await connections[0]!.add('ada', {})
    const ids = numbered(20)
    for (const id of ids) await connections[0]!.reserve('ada', id)
    await Promise.all(connections.flatMap((one) => ids.slice(0, 12).map((id) => one.release(id))))
    expect((await connections[0]!.find('ada'))?.used).toBe(8)
  })

  test('use equals held plus settled charges after any sequence, and never exceeds the quota', async () => {
    const [one, two] = (await openSome(2)) as [OpenAccounts, OpenAccounts]
    const step = fc.record({
      act: fc.constantFrom('reserve' as const, 'reserve' as const, 'release' as const, 'settle' as const),
      id: fc.integer({ min: 0, max: 5 }),
    })
    let round = 0
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 4 }), fc.array(step, { maxLength: 25 }), async (quota, steps) => {
        const username = `ada-${round++}`
        await one.add(username, { quota })
        const state = new Map<string, OpenAccounts | 'settled'>()
        for (const [n, { act, id }] of steps.entries()) {
          const accounts = n % 2 === 0 ? one : two
          const requestId = `${username}/${id}`
          if (act === 'reserve') {
            const expected = state.has(requestId) || state.size < quota
            expect(await accounts.reserve(username, requestId)).toBe(expected)
            if (expected && state.get(requestId) !== 'settled') state.set(requestId, accounts)
          } else {
            await accounts[act](requestId)
            const held = state.get(requestId)
            if (act === 'release' && held === accounts) state.delete(requestId)
            if (act === 'settle' && held !== undefined) state.set(requestId, 'settled')
          }
          expect((await one.find(username))?.used).toBe(state.size)
        }
      }),
      { numRuns: 40 },
    )
  })
}

const TOPICS: readonly (readonly [topic: string, testTopic: (fixture: Fixture) => void])[] = [
  ['settings', testSettings],
  ['names', testNames],
  ['charges of requests', testCharges],
  ['charges that several requests hold', testSharedCharges],
  ['quotas and periods', testPeriods],
  ['reservations of a killed process', testStaleReservations],
  ['concurrent connections', testConcurrency],
]

/** Tests for every adapter of the accounts port. `create` makes an empty store. */
export const describeAccounts = (name: string, create: () => Promise<AccountsUnderTest>): void => {
  const fixture = openFixture(create)
  afterEach(fixture.close)
  describe.each(TOPICS)(`accounts: ${name}: %s`, (_, testTopic) => testTopic(fixture))
}
