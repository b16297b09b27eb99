import { Validator } from '@seriousme/openapi-schema-validator'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FAILURES } from '../../src/core/failure.ts'
import { OPTIONS_TABLE } from '../../src/options/table.ts'
import { type Case, PAST_ONE_MACHINE, start } from './start.ts'

let service: Case
beforeAll(async () => {
  service = await start()
})
afterAll(() => service[Symbol.asyncDispose]())

interface Described {
  readonly openapi: string
  readonly servers: readonly { readonly url: string }[]
  readonly paths: Readonly<
    Record<string, Readonly<Record<string, { readonly responses: Readonly<Record<string, unknown>> }>>>
  >
  readonly components: { readonly parameters: { readonly options: { readonly description: string } } }
}

const describe_ = async (): Promise<Described> =>
  (await (await fetch(`${service.url}/-/openapi.json`)).json()) as Described

describe('the description of the interface', () => {
  it('the description is valid OpenAPI 3.1', async () => {
    const validator = new Validator()
    const { valid, errors } = await validator.validate((await describe_()) as unknown as Record<string, unknown>)
    expect({ valid, errors }).toEqual({ valid: true, errors: undefined })
    expect(validator.version).toBe('3.1')
    expect(Object.keys(validator.resolveRefs() ?? {})).toContain('paths')
  })

  it('the description names every option and status, and the requested address', async () => {
    const { servers, components, paths } = await describe_()
    expect(servers).toEqual([{ url: service.url }])
    for (const { name } of OPTIONS_TABLE) expect(components.parameters.options.description).toContain(`**${name}**`)
    const { responses } = paths['/{username}/{options}']!['post']!
    for (const { status } of Object.values(FAILURES))
      if (status !== 405) expect(Object.keys(responses)).toContain(`${status}`)
  })

  it("the service's own addresses respond as described", async () => {
    const { paths } = await describe_()
    // The proxy does not expose the metrics.
    const hidden = PAST_ONE_MACHINE === undefined ? [] : ['/-/metrics']
    const own = Object.keys(paths).filter((each) => each.startsWith('/-/') && !each.includes('{'))
    for (const path of own.filter((each) => !hidden.includes(each))) {
      const answer = await fetch(service.url + path)
      await answer.arrayBuffer()
      expect([path, Object.keys(paths[path]!['get']!.responses).includes(`${answer.status}`)]).toEqual([path, true])
    }
  })
})
