import { expect, test, vi } from 'vitest'
import { showHeaders } from '../../../src/cli/output/printer.ts'

test('status and headers go to stderr, without secrets and control characters', () => {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  showHeaders({
    status: 201,
    headers: { 'request-id': 'req_1', 'x-echo': 'a\u009b31m', authorization: 'Basic c2VjcmV0' },
    text: '{}',
    body: {},
    requestId: 'req_1',
    attempts: 1,
  })
  const text = write.mock.calls.map(([chunk]) => String(chunk)).join('')
  write.mockRestore()
  expect(text).toBe('HTTP 201\nrequest-id: req_1\nx-echo: a\\u009b31m\nauthorization: Basic ***\n\n')
})
