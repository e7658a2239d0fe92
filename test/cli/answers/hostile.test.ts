// biome-ignore-all lint/suspicious/noControlCharactersInRegex: these are what must not come through

import { beforeAll, expect, test } from 'vitest'
import { cleanEnvironment } from '../../support/cli/clean-environment.ts'
import { runOnTerminal } from '../../support/cli/run-here.ts'
import { driven, type Shop } from '../../support/cli/sim.ts'
import { simCommands, writeSimFiles } from '../../support/cli/sim-commands.ts'
import { openSite } from '../../support/cli/site.ts'
import { useWorkplace } from '../../support/cli/workplace.ts'

/** A server whose every string steers a terminal: no command passes on what does, or lets it begin a message of ours. */

const place = useWorkplace()
const { server, shop } = driven()

/** Clipboard, title, screen, colour, the same without ESC, direction of writing, and line ends that Unicode has. */
const STEERING =
  '\u001b]52;c;aGk=\u0007\u001b]0;title\u0007\u001b[2J\u001b[31mEVIL\u009b2J\u0085\u202e\u2066\u2028\u2029\u200f\rEVIL\nEVIL\r\n'
/** What obeys none of our styles, which are colours and erased lines. */
const STEERED =
  /(?!\x1b\[[\d;]*[mK])[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]|\r(?![\x1b\n])|\x1b\[31mEVIL/mu

const spoilt = (value: unknown): unknown => {
  if (typeof value === 'string') return `${value}${STEERING}`
  if (Array.isArray(value)) return value.map(spoilt)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, spoilt(inner)]))
}

/** Asks the simulator, and spoils each string of its answers. */
async function hostile(behind: string) {
  return openSite(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { method = 'GET', url = '/', headers } = request
    const { host: _, 'content-length': __, connection: ___, ...passed } = headers
    const answer = await fetch(behind + url.replaceAll(/%1B[^/?&]*/gi, ''), {
      method,
      headers: passed as Record<string, string>,
      ...(chunks.length > 0 ? { body: Buffer.concat(chunks) } : {}),
    })
    const type = answer.headers.get('content-type') ?? ''
    response.writeHead(answer.status, {
      'content-type': type,
      'request-id': 'req_\u009b2J\u0085x',
    })
    if (type.includes('event-stream')) {
      const reader = answer.body?.getReader()
      request.once('close', () => void reader?.cancel().catch(() => {}))
      for (let part = await reader?.read(); part && !part.done; part = await reader?.read())
        response.write(
          Buffer.from(part.value)
            .toString()
            .replace(/^data: (.*)$/gm, (_, data) => `data: ${JSON.stringify(spoilt(JSON.parse(data)))}`),
        )
      return void response.end()
    }
    const text = await answer.text()
    if (type.includes('json')) return void response.end(text && JSON.stringify(spoilt(JSON.parse(text))))
    response.end(type.startsWith('text/') ? `${text}${STEERING}` : text)
  })
}

let its: Shop
let site: Awaited<ReturnType<typeof hostile>>
let env: Record<string, string>
let payment: string
beforeAll(async () => {
  await writeSimFiles(place().path)
  its = await shop({ webhooks: [{ url: 'http://127.0.0.1:9/hooks' }] })
  payment = String((await its.pay({ metadata: {} })).id)
  await its.control('POST', '/payouts', {
    body: {
      ...{ amount: '5000', currency: 'THB', country: 'TH', merchant_reference: 'refund-1' },
      recipient: { bank_code: 'bbl', holder_name: 'Somchai', account_number: '1234567890' },
    },
  })
  await its.control('POST', `/payments/${payment}/succeed`)
  await its.control('PUT', '/faults', { body: { faults: [{ on: '*', type: 'latency', delay: '1ms' }] } })
  await its.call('GET', '/payment_intents/pi_none')
  site = await hostile(new URL(server().controlUrl).origin)
  env = {
    ...cleanEnvironment(place().path('.')),
    PAYSIM_CONTROL_URL: `${site.url}/_paysim`,
    PAYSIM_CONTROL_TOKEN: server().controlToken,
    PAYSIM_ACCOUNT: `${its.id}.test`,
    PAYSIM_BASE_URL: site.url,
    PAYSIM_PUBLIC_KEY: its.keys.public_key,
    PAYSIM_SECRET_KEY: its.keys.secret_key,
  }
  return () => site.close()
})

const CREATE = [
  ...['payments', 'create', '--amount', '100.00 THB', '--country', 'TH', '--merchant-reference', 'order-1'],
]
const MERCHANT = [
  CREATE,
  [...CREATE, '-v'],
  ['payments', 'get', 'PAYMENT'],
  ['payments', 'get', 'PAYMENT', '--show-headers'],
  ['payments', 'get', 'pi_none', '-v'],
  ['payments', 'cancel', 'PAYMENT'],
  ['payments', 'wait', 'PAYMENT', '--timeout', '1s'],
  ['payouts', 'list'],
  ['payouts', 'list', '--limit', '1'],
  ['payouts', 'list', '--all'],
  ['payouts', 'cancel', 'po_none'],
  ['methods', 'list', '--amount', '10000', '--currency', 'THB', '--country', 'TH'],
  ['request', 'GET', '/payout_intents'],
  ['request', 'GET', '/payment_intents/pi_none'],
  ['scenario', 'from', 'PAYMENT'],
  ['scenario', 'from', 'PAYMENT', '--format', 'vitest'],
  ['sim', 'payments', 'list', '--query', 'data[].merchant_reference'],
  ['sim', 'payments', 'show', 'PAYMENT'],
  ['sim', 'history', 'PAYMENT'],
  ['sim', 'why', 'PAYMENT'],
  ['sim', 'stream', '--count', '1'],
]

const SKIPPED = new Set([
  // They need a terminal, or only pass on bytes to a file.
  'sim receipts image',
  // It follows without an end; with a count it is below.
  'sim stream',
])
const COMMANDS = [
  ...MERCHANT.map(words => ({ name: words.join(' '), words: () => words })),
  ...simCommands
    .filter(({ name }) => !SKIPPED.has(name))
    .map(({ name, more }) => ({ name, words: () => [...name.split(' '), ...more(place().path)] })),
]

test.each(COMMANDS)('$name prints nothing that steers a terminal', async ({ words }) => {
  const said = words().map(word => (word === 'PAYMENT' || word === 'pi_1' ? payment : word))
  // Until the stream is open, nobody hears of it.
  const calling =
    said[1] === 'stream' && setInterval(() => void its.call('GET', '/payment_intents/pi_none'), 100)
  const { stdout, stderr } = await runOnTerminal(said, env)
  if (calling) clearInterval(calling)
  for (const [stream, text] of Object.entries({ stdout, stderr })) {
    const at = text.search(STEERED)
    expect(at === -1 ? '' : `${stream}: ${JSON.stringify(text.slice(Math.max(0, at - 120), at + 60))}`).toBe(
      '',
    )
  }
  expect(stderr).not.toMatch(/^EVIL/m)
  expect(stdout + stderr).not.toBe('')
})
