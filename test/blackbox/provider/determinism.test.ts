import { beforeAll, describe, expect, test } from 'vitest'
import { accountOf, type Json, succeeded } from '../../support/gateway/merchant.ts'
import { plainCatalogue } from '../../support/gateway/probe-catalogue.ts'
import { removeDirectory, type Server, startServer } from '../../support/gateway/server.ts'
import { createOnWire } from '../../support/http/wire.ts'
import {
  attachAsset,
  createPayment,
  createTransfer,
  hostedBody,
  postPayment,
  storeAsset,
  uploadReceipt,
} from '../../support/payments/payments.ts'
import { addPayout, cancelPayout } from '../../support/payments/payouts.ts'
import { putFaults } from '../../support/provider/faults.ts'
import { putRules } from '../../support/provider/rules.ts'
import { type Notebook, openNotebook } from '../../support/webhooks/notebook.ts'
import { listen, settle } from '../../support/webhooks/receiver.ts'

interface Story {
  keys: Json
  /** Every answer that a merchant got, with what came of calls that met a fault. */
  answers: string[]
  journal: string
  webhooks: string[]
}

/** A bit of everything, the same each time, in a merchant of its own on a server of its own. */
async function play(seed: number, clock: object, notebook: Notebook): Promise<Story> {
  const server = await startServer({ args: ['--ephemeral'] })
  try {
    return await tell(server, seed, clock, notebook)
  } finally {
    await server.stop()
    await removeDirectory(server.dataDir)
  }
}

async function tell(server: Server, seed: number, clock: object, notebook: Notebook): Promise<Story> {
  const made = await server.merchant({
    id: 'told',
    seed,
    clock: { mode: 'virtual', ...clock },
    catalogue: plainCatalogue(),
    webhooks: [{ url: `${notebook.url}/hook`, environment: 'test' }],
  })
  const answers: string[] = []
  const told = accountOf(server, made.test, call => async (...said) => {
    const answer = await call(...said)
    answers.push(`${said[0]} ${said[1]} ${answer.status} ${answer.text}`)
    return answer
  })
  // Where in the journal a receiver's answer stands depends on the receiver, unless one waits for it.
  const quiet = () => told.advance('0s')

  await putRules(
    told,
    {
      match: { kind: 'payout' },
      approval: { after: '1h' },
      outcome: { after: '1h', status: 'failed', code: 'closed' },
    },
    { match: { merchant_reference: 'paid-*' }, outcome: { after: '10m', status: 'succeeded' } },
    {
      receipt: [
        { after: '5s', verdict: 'reject', message: 'Not legible' },
        { after: '5s', verdict: 'accept' },
      ],
      cancel: { after: '20s', outcome: 'cancelled' },
      outcome: { after: '30s', status: 'succeeded' },
    },
  )
  await putFaults(
    told,
    { on: 'POST /payment_intents', type: 'reset', when: 'after_commit', probability: 0.5 },
    { on: 'webhook', type: 'duplicate', probability: 0.5 },
    { on: 'webhook', type: 'delay', delay: '2h', probability: 0.3 },
  )
  for (let order = 0; order < 12; order += 1) {
    const { status, text } = await createOnWire(server, told, `key-${order}`, {
      merchant_reference: `paid-${order}`,
    })
    answers.push(`create ${status} ${text}`)
  }
  await putFaults(told, { on: 'webhook', type: 'duplicate', probability: 0.5 })

  const transfer = await createTransfer(told)
  await uploadReceipt(told, transfer.id, 'receipt-1', 1)
  await told.advance('5s')
  await uploadReceipt(told, transfer.id, 'receipt-2', 2)
  const second = await createTransfer(told)
  await attachAsset(told, second.id, (await storeAsset(told, 3)).id)
  const redirected = await createPayment(told, { payment_method: 'th_mobile_banking' })
  await told.cancel(redirected.id)
  const cancelled = await createPayment(told)
  await told.cancel(cancelled.id)
  await quiet()
  const hosted = await succeeded(postPayment(told, hostedBody({ return_url: 'https://shop.example/back' })))
  await told.trigger(hosted.id, 'fail', { failure_code: 'declined', failure_message: 'Declined' })
  await quiet()
  const payouts = [await addPayout(told), await addPayout(told, { merchant_reference: 'payout-2' })]
  await cancelPayout(told, payouts[1]?.id, { reason: 'Duplicate' })
  await quiet()
  await told.advance('3h')
  await told.call('GET', '/payout_intents')
  await told.call('GET', `/payment_intents/${transfer.id}`)
  await succeeded(told.control('POST', '/clock/advance', { body: { until: 'idle' } }))

  const { entries } = await succeeded(told.control('GET', '/export'))
  const withoutPort = (text: string) => text.replaceAll(server.url, '<base>')
  return {
    keys: [made.test, made.live],
    answers: answers.map(text => withoutPort(text).replaceAll(/req_\w+/g, 'req_')),
    journal: withoutPort(unsigned(entries)),
    webhooks: notebook.notes.splice(0).map(withoutPort),
  }
}

/** The journal without the times and values of signatures, which are those of the wall. */
const unsigned = (entries: unknown) =>
  JSON.stringify(entries, (key, value) => (key === 'signature' || key === 'timestamp' ? null : value))

/** Where two texts part, with a little of what stands there: whole stories are too long to look at. */
function parting(one: string, two: string): [string, string] | 'nowhere' {
  if (one === two) return 'nowhere'
  const at = [...one].findIndex((letter, index) => letter !== two[index])
  const from = Math.max(0, at - 60)
  return [one.slice(from, at + 60), two.slice(from, at + 60)]
}

// An account whose clock is given an instant begins there; one of a seed alone must begin at the same instant each time.
describe.each<[string, object]>([
  ['an instant to begin at', { now: '2040-01-01T00:00:00.000Z' }],
  ['no instant to begin at', {}],
])('two servers with the same seed, the same calls and %s', (_, clock) => {
  const stories: Story[] = []
  const told = (at: number): Story => {
    const story = stories[at]
    if (!story) throw new Error('the story was not told')
    return story
  }

  beforeAll(async () => {
    // One for all, since the journals have its address.
    const notebook = await openNotebook()
    for (const seed of [7, 7, 8]) stories.push(await play(seed, clock, notebook))
    notebook.close()
  })

  test('lose some answers and send some webhooks twice, so there is something to compare', () => {
    const { answers, webhooks } = told(0)
    const lost = answers.filter(answer => answer.startsWith('create undefined'))
    expect(lost.length).toBeGreaterThan(0)
    expect(lost.length).toBeLessThan(12)
    expect(new Set(webhooks).size, 'some came twice').toBeLessThan(webhooks.length)
    expect(new Set(webhooks).size).toBeGreaterThan(12)
  })

  test('have the same keys', () => {
    expect(told(1).keys).toEqual(told(0).keys)
  })

  test('meet the same faults', () => {
    const statuses = ({ answers }: Story) => answers.map(answer => answer.slice(0, 16))
    expect(statuses(told(1))).toEqual(statuses(told(0)))
  })

  test('give the same answers, byte for byte: ids, instructions, addresses', () => {
    expect(parting(told(0).answers.join('\n'), told(1).answers.join('\n'))).toBe('nowhere')
  })

  test('write the same journal, byte for byte, except signatures', () => {
    expect(parting(told(0).journal, told(1).journal)).toBe('nowhere')
  })

  test('send the same webhooks in the same order, byte for byte', () => {
    expect(parting(told(0).webhooks.join('\n'), told(1).webhooks.join('\n'))).toBe('nowhere')
  })

  test('share no id or key with a server with another seed', () => {
    const names = (story: Story) =>
      new Set(JSON.stringify(story).match(/(pi|po|evt|ast|we|dlv|[ps]k_test|[ps]k_live)_\w{24,}/g))
    const [ours, theirs] = [names(told(0)), names(told(2))]
    expect(ours.size).toBeGreaterThan(30)
    expect([...theirs].filter(name => ours.has(name))).toEqual([])
  })
})

test('a clock set to a past instant starts there', async () => {
  const server = await startServer({ args: ['--ephemeral'] })
  const past = '2001-02-03T04:05:06.789Z'
  const { test: keys } = await server.merchant({ clock: { mode: 'virtual', now: past } })
  const { body } = await server.control('GET', `/accounts/${keys.id}/clock`)
  await server.stop()
  await removeDirectory(server.dataDir)
  expect(body.now).toBe(past)
})

test('ids do not depend on when a receiver answers', async () => {
  const namesWith = async (receiverAnswers: 'before the next call' | 'after all calls') => {
    const server = await startServer({ args: ['--ephemeral'] })
    const account = accountOf(
      server,
      (await server.merchant({ id: 'told', seed: 7, clock: { mode: 'virtual' } })).test,
    )
    const receiver = await listen(account)
    let release = () => {}
    const held = new Promise<void>(resolve => {
      release = resolve
    })
    if (receiverAnswers === 'after all calls') receiver.reply(() => ({ after: held }))
    const names: string[] = []
    for (let order = 0; order < 3; order += 1) {
      const { id } = await createPayment(account, { payment_method: 'th_promptpay' })
      await account.trigger(id, 'succeed')
      await receiver.arrived(receiverAnswers === 'after all calls' ? 1 : order + 1)
      if (receiverAnswers === 'before the next call') await settle(account)
      names.push(id)
    }
    release()
    await settle(account)
    await server.stop()
    await removeDirectory(server.dataDir)
    return [...names, ...receiver.deliveries.map(({ event }) => event.id)]
  }
  const names = await namesWith('before the next call')
  expect(new Set(names).size).toBe(6)
  expect(await namesWith('after all calls')).toEqual(names)
})
