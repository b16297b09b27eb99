import { HOUR_MS } from '../../core/units.ts'
import { milliseconds, wholeNumber } from '../readers.ts'
import { setting } from './row.ts'

/** Settings of live delivery. */
export const DELIVERY = {
  deliveryMaxAgeMs: setting<number>({
    env: 'DELIVERY_MAX_AGE',
    read: milliseconds({ min: 0, max: 10 * 365 * 24 * HOUR_MS }),
    default: 365 * 24 * HOUR_MS,
    shown: '365d',
    help: 'How long caches may keep what is delivered live when the server of the source says nothing of it; 0 says nothing either, and asks that server each time.',
  }),
  deliveryRate: setting<number>({
    env: 'DELIVERY_RATE',
    read: wholeNumber({ min: 0, max: 1e9 }),
    default: 600,
    shown: '600',
    help: 'New results a minute that addresses which are not signed may have made for one account by live delivery; 0 is no limit. Any client can invent such addresses.',
  }),
} as const
