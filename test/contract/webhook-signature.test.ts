import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import { mistakeIn, signWebhook, verifyWebhook } from '../../src/contract/webhook-signature.ts'

const secrets = fc
  .uint8Array({ minLength: 24, maxLength: 64 })
  .map(bytes => `whsec_${Buffer.from(bytes).toString('base64')}`)
/** A verifier looks at the clock on its wall. */
const now = () => Math.floor(Date.now() / 1000)
const messages = fc
  .record({ id: fc.stringMatching(/^evt_[A-Za-z0-9]{24}$/), body: fc.json() })
  .map(message => ({ ...message, timestamp: now() }))

const headersOf = ({ id, timestamp }: { id: string; timestamp: number }, signature: string) => ({
  'webhook-id': id,
  'webhook-timestamp': String(timestamp),
  'webhook-signature': signature,
})

describe('a signature', () => {
  test('is accepted by the public verifier, and equals the one that it makes', () => {
    fc.assert(
      fc.property(messages, secrets, (message, secret) => {
        const signature = signWebhook(message, [secret])
        const webhook = new Webhook(secret)
        expect(webhook.verify(message.body, headersOf(message, signature))).toEqual(JSON.parse(message.body))
        expect(signature).toBe(webhook.sign(message.id, new Date(message.timestamp * 1000), message.body))
      }),
    )
  })

  test('is accepted with either secret during a rotation', () => {
    fc.assert(
      fc.property(messages, secrets, secrets, secrets, (message, fresh, old, other) => {
        fc.pre(new Set([fresh, old, other]).size === 3)
        const signature = signWebhook(message, [fresh, old])
        for (const secret of [fresh, old]) {
          new Webhook(secret).verify(message.body, headersOf(message, signature))
          expect(verifyWebhook(message, signature, secret)).toBe(true)
        }
        expect(verifyWebhook(message, signature, other)).toBe(false)
      }),
    )
  })

  test('is valid for only one id, one time and one body', () => {
    fc.assert(
      fc.property(messages, secrets, (message, secret) => {
        const signature = signWebhook(message, [secret])
        const others = [
          { ...message, id: `${message.id}x` },
          { ...message, timestamp: message.timestamp + 1 },
          { ...message, body: `${message.body} ` },
        ]
        for (const other of others) expect(verifyWebhook(other, signature, secret)).toBe(false)
      }),
    )
  })
})

test.each(['', 'v1,', 'v2,AAAA', 'AAAA', 'v1', ' ', 'v1,é'])('%j is not a valid signature', signatures => {
  const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
  expect(verifyWebhook({ id: 'evt_1', timestamp: 1, body: '' }, signatures, secret)).toBe(false)
})

test('a signature of another version is ignored', () => {
  const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`
  const message = { id: 'evt_1', timestamp: 1, body: '{}' }
  expect(verifyWebhook(message, `v1a,AAAA ${signWebhook(message, [secret])}`, secret)).toBe(true)
})

test('says which common mistake explains a signature that does not match', () => {
  const secret = `whsec_${Buffer.from('the secret of an endpoint').toString('base64')}`
  const key = Buffer.from('the secret of an endpoint')
  const message = { id: 'msg_1', timestamp: 1, body: '{"a":1}\r\n' }
  const of = (body: string) => signWebhook({ ...message, body }, [secret])
  const hmac = (content: string, by: Buffer | string = key, form: 'base64' | 'hex' = 'base64') =>
    createHmac('sha256', by).update(content).digest(form)
  const content = `msg_1.1.${message.body}`
  const mistakes: readonly (readonly [signature: string, says: string])[] = [
    [of('{"a":1}'), 'without the line break'],
    [of('{"a":1}\r\n\n'), 'with a line break'],
    [of('{"a":1}\n'), 'with LF'],
    [of('{\n  "a": 1\n}'), 'with blanks'],
    [hmac(content), 'begin with v1,'],
    [`sha256=${hmac(content, key, 'hex')}`, 'hex'],
    [`v1,${hmac(content, secret)}`, 'text of the secret'],
    [`v1,${hmac(content, secret.slice('whsec_'.length))}`, 'text of the secret'],
    [`v1,${hmac(message.body)}`, 'the body alone'],
    [`t=1,v1=${hmac(`1.${message.body}`)}`, 'timestamp.body'],
    ['v1a,AAAA', 'public key'],
  ]
  for (const [signature, says] of mistakes) {
    expect(verifyWebhook(message, signature, secret)).toBe(false)
    expect(mistakeIn(message, signature, [secret]), signature).toContain(says)
  }
  expect(mistakeIn(message, `v1,${hmac(content, 'another')}`, [secret])).toBeNull()
})
