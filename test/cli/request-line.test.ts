import fc from 'fast-check'
import { expect, test } from 'vitest'
import { requestLine } from '../../src/cli/serve-output.ts'

const record = fc.record({
  at: fc.constant('2026-01-31T11:00:00.000Z'),
  account: fc.constantFrom(null, 'default.test'),
  method: fc.constantFrom('GET', 'POST'),
  path: fc.oneof(
    fc.webPath({ size: 'small' }),
    fc.string(),
    fc.constantFrom('/"', '/\\', '/é', '/a b?c=d&e=%20'),
  ),
  status: fc.integer({ min: 100, max: 599 }),
  ms: fc.nat(10_000_000).map(micros => micros / 1000),
  request_id: fc.constant('req_Z4hfgG65zT9rKq3eZe000001'),
  ignored: fc.array(fc.string(), { maxLength: 2 }),
})

test('the line of a request is its JSON, whatever its path', () => {
  fc.assert(
    fc.property(record, request => {
      expect(requestLine(request)).toBe(JSON.stringify({ event: 'request', ...request }))
    }),
    { numRuns: 1000 },
  )
})
