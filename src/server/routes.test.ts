import { describe, expect, it } from 'vitest'
import { splitTarget } from './address.ts'
import { findRoute } from './routes.ts'

const ask = (method: string, target: string, accept?: string) => {
  const routed = findRoute({ address: splitTarget(target), method, accept })
  if (routed.kind === 'route') return routed.route.name
  return routed.kind === 'nowhere' ? 'nowhere' : routed.allowed.join(', ')
}

const TOKEN = '0'.repeat(32)

describe('the table of routes', () => {
  it.each([
    ['POST', '/anna/full/https://e.com/a.png', undefined, 'optimise'],
    ['POST', '/anna/full', undefined, 'optimise'],
    ['POST', '/anna/info', undefined, 'info'],
    ['POST', '/anna/info/https://e.com/a.png', undefined, 'info'],
    ['GET', '/anna/INFO,sig=abc/https://e.com/a.png', 'text/html', 'info'],
    ['POST', '/anna/info,700/https://e.com/a.png', undefined, 'optimise'],
    ['POST', '/', undefined, 'optimise'],
    ['GET', '/anna/full/https://e.com/a.png', 'text/html,*/*', 'explain'],
    ['HEAD', '/anna/full/https://e.com/a.png', 'text/html', 'explain'],
    ['GET', '/anna/full/https://e.com/a.png', 'image/webp,*/*', 'deliver'],
    ['GET', '/anna/full/https://e.com/a.png', 'image/png,text/html;q=0.5', 'deliver'],
    ['HEAD', '/anna/full/https://e.com/a.png', undefined, 'deliver'],
    ['DELETE', '/anna/full/https://e.com/a.png', undefined, 'purge'],
    ['GET', '/', undefined, 'home'],
    ['GET', `/-/results/${TOKEN}`, undefined, 'result'],
    ['POST', `/-/results/${TOKEN}`, undefined, 'result'],
    ['GET', '/-/live', undefined, 'own'],
    ['GET', '/-/ready?x', undefined, 'own'],
    ['GET', '/-/account/shop', undefined, 'own'],
    ['HEAD', '/-/metrics', undefined, 'own'],
    ['OPTIONS', '/anything/at/all', undefined, 'preflight'],
    ['OPTIONS', '/-/nothing', undefined, 'preflight'],
  ])('%s %s (Accept: %s) is for %s', (method, target, accept, name) => {
    expect(ask(method, target, accept)).toBe(name)
  })

  it.each([
    ['PUT', '/anna/full', '*/*', 'POST'],
    ['PATCH', '/anna/full', 'text/html', 'POST'],
    ['PUT', '/', undefined, 'GET, HEAD'],
    ['PUT', `/-/results/${TOKEN}`, undefined, 'GET, HEAD, POST'],
    ['POST', '/-/live', undefined, 'GET, HEAD'],
  ])('%s %s (Accept: %s) is not allowed, %s is', (method, target, accept, allowed) => {
    expect(ask(method, target, accept)).toBe(allowed)
  })

  it.each(['/-/', '/-', '/-/live/', '/-/results'])('there is nothing at %s', (target) =>
    expect(ask('GET', target)).toBe('nowhere'))
})
