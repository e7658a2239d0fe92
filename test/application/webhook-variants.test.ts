import { expect, test } from 'vitest'
import { ofUnknownType, posted, withUnknownFields } from '../../src/application/webhook-variants.ts'
import { verifyWebhook } from '../../src/contract/webhook-signature.ts'

const SECRET = `whsec_${Buffer.from('the secret of the account').toString('base64')}`
const EVENT = {
  id: 'evt_1',
  type: 'payment.failed',
  timestamp: '2030-01-01T00:00:00Z',
  environment: 'test',
  data: { id: 'pi_1', failure_message: 'a "rate":1 & more' },
}

test('unknown fields leave the event unchanged, in bytes that only a verifier of raw bytes accepts', () => {
  const { headers, body } = withUnknownFields(posted(EVENT, SECRET), SECRET)
  const isSigned = (text: string) => {
    const timestamp = Number(headers['webhook-timestamp'])
    return verifyWebhook({ id: EVENT.id, timestamp, body: text }, headers['webhook-signature'] ?? '', SECRET)
  }
  expect(JSON.parse(body)).toMatchObject(EVENT)
  expect(isSigned(body)).toBe(true)
  expect(isSigned(JSON.stringify(JSON.parse(body)))).toBe(false)
  // Go writes & as \u0026 and 1.0 as 1, Python writes & and 1.0.
  expect(body).toContain('"rate":1.0')
  expect(body).toContain('\\u0026')
})

test('an event of an unknown type describes a time before the outcome', () => {
  const failed = { ...EVENT, data: { id: 'pi_1', status: 'failed', failure_code: 'declined' } }
  const event = JSON.parse(ofUnknownType(posted(failed, SECRET), 'before', SECRET).body)
  expect(event).toMatchObject({ data: { id: 'pi_1', status: 'processing', failure_code: null } })
  expect(event.id).not.toBe(EVENT.id)
})
