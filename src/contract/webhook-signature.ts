import { createHmac, timingSafeEqual } from 'node:crypto'

/** Standard Webhooks: HMAC-SHA256 of `id.timestamp.body` under the bytes behind `whsec_`. */
export interface SignedMessage {
  id: string
  /** Seconds since the epoch, by the wall clock: verifiers refuse an old timestamp. */
  timestamp: number
  body: string | Uint8Array
}

export function signWebhook(message: SignedMessage, secrets: readonly string[]): string {
  return secrets.map(secret => `v1,${digest(message, secret)}`).join(' ')
}

export function verifyWebhook(message: SignedMessage, signatures: string, secret: string): boolean {
  const expected = Buffer.from(digest(message, secret))
  return signatures.split(' ').some(signature => {
    const given = Buffer.from(signature.replace(/^v1,/, ''))
    return signature.startsWith('v1,') && given.length === expected.length && timingSafeEqual(given, expected)
  })
}

const digest = (message: SignedMessage, secret: string) => digestOf(message, keyOf(secret))

/** The bytes that the text of a secret stands for. */
const keyOf = (secret: string) => Buffer.from(secret.replace(/^whsec_/, ''), 'base64')

const digestOf = ({ id, timestamp, body }: SignedMessage, key: Buffer) =>
  createHmac('sha256', key).update(`${id}.${timestamp}.`).update(body).digest('base64')

/** A larger body is not tried in other forms: a stranger may send many. */
const MOST_TRIED = 64 * 1024

/**
 * The mistake that explains a signature that does not match, if a common one does. The text completes "the signature
 * does not match:".
 */
export function mistakeIn(
  message: SignedMessage,
  signatures: string,
  secrets: readonly string[],
): string | null {
  if (message.body.length > MOST_TRIED) return null
  const given = new Set(signatures.split(/[ ,]+/).map(part => part.replace(/^(?:sha256|v1)=/, '')))
  for (const secret of secrets)
    for (const [digested, mistake] of mistakesWith(message, secret)) if (given.has(digested)) return mistake
  if (signatures.startsWith('v1a,'))
    return 'v1a is a signature with a public key, and a secret that begins with whsec_ cannot check it'
  return null
}

/** What a sender or a reader would compute by mistake, and what the mistake is. */
function* mistakesWith(message: SignedMessage, secret: string): Generator<readonly [string, string]> {
  const { id, timestamp, body } = message
  const key = keyOf(secret)
  const right = digestOf(message, key)
  yield [right, 'the header must begin with v1, before the signature']
  yield [Buffer.from(right, 'base64').toString('hex'), 'it is in hex instead of base64']
  const text = typeof body === 'string' ? body : Buffer.from(body).toString('utf8')
  for (const [other, how] of otherForms(text))
    yield [
      digestOf({ ...message, body: other }, key),
      `it would match ${how}: check the bytes that were received`,
    ]
  const bare = secret.replace(/^whsec_/, '')
  for (const wrong of [Buffer.from(secret), Buffer.from(bare), Buffer.from(bare, 'hex')])
    yield [
      digestOf(message, wrong),
      'it was made with the text of the secret as its key instead of the bytes that the base64 after whsec_ stands for',
    ]
  const otherContents = {
    'the body alone': body,
    'timestamp.body': `${timestamp}.${text}`,
    'id.body': `${id}.${text}`,
  }
  for (const [what, content] of Object.entries(otherContents))
    yield [
      createHmac('sha256', key).update(content).digest('base64'),
      `it signs ${what} instead of id.timestamp.body`,
    ]
}

/** What editors, shells, forms and parsers make of a body. */
function* otherForms(body: string): Generator<readonly [string, string]> {
  yield [body.replace(/\r?\n$/, ''), 'without the line break at the end of the body']
  yield [`${body}\n`, 'with a line break at the end of the body']
  yield [body.replace(/\r?\n/g, '\r\n'), 'with CR LF as line breaks']
  yield [body.replace(/\r\n/g, '\n'), 'with LF as line breaks']
  try {
    const value = JSON.parse(body)
    for (const indent of [undefined, 2, 4])
      yield [
        JSON.stringify(value, null, indent),
        `the JSON ${indent ? 'with' : 'without'} blanks between its parts`,
      ]
  } catch {
    // It is no JSON, or nested too deeply.
  }
}
