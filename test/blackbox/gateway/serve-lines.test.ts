import { expect, onTestFinished, test } from 'vitest'
import { startLeakScan } from '../../support/disk/leak-scan.ts'
import { openStream } from '../../support/gateway/event-stream.ts'
import { type Json, openMerchant, succeeded } from '../../support/gateway/merchant.ts'
import { ownServer } from '../../support/gateway/shared-server.ts'
import { formsOf, submit } from '../../support/payments/page-forms.ts'
import {
  createPayment,
  createTransfer,
  hostedBody,
  postPayment,
  uploadReceipt,
} from '../../support/payments/payments.ts'
import { addPayout, movePayout } from '../../support/payments/payouts.ts'
import { openReceiver, subscribe } from '../../support/webhooks/receiver.ts'

/** Everything in an answer that opens something: secrets by name, and what an address carries. */
function secretsIn(text: string): string[] {
  return [
    ...text.matchAll(/"(?:secret|secret_key|control_token)":"([^"]{8,})"/g),
    ...text.matchAll(/[?&](?:signature|code)=([\w-]{8,})/g),
  ].map(([, secret = '']) => secret)
}

test('`serve --json` prints no secret after its first line', async () => {
  const server = await ownServer({ args: ['--control-token', 'a-token-of-our-own'] })
  const secrets = new Set(['a-token-of-our-own', ...server.accounts.map(account => account.secret_key)])
  const learn = (text: string) => {
    for (const secret of secretsIn(text)) secrets.add(secret)
  }
  const receiver = await openReceiver()
  const { id, test: account } = await openMerchant(server, { webhooks: [{ url: `${receiver.url}/first` }] })
  const { call, control } = account
  const heard = {
    ...account,
    call: async (...args: Parameters<typeof call>) => {
      const answer = await call(...args)
      learn(answer.text)
      return answer
    },
    control: async (...args: Parameters<typeof control>) => {
      const answer = await control(...args)
      learn(answer.text)
      return answer
    },
  }
  learn((await server.control('GET', `/merchants/${id}`)).text)
  learn((await server.control('POST', `/accounts/${account.id}/keys`)).text)
  const endpoint = await subscribe(heard, `${receiver.url}/second`)
  await succeeded(heard.control('POST', `/webhook-endpoints/${endpoint.id}/rotate-secret`, { body: {} }))
  await succeeded(heard.control('GET', '/webhook-endpoints'))

  const transfer = await createTransfer(heard)
  await succeeded(uploadReceipt(heard, transfer.id, 'key'))
  await succeeded(heard.control('POST', `/payments/${transfer.id}/succeed`, { body: {} }))
  const redirect = await createPayment(heard, { payment_method: 'th_mobile_banking' })
  const hosted = await succeeded(postPayment(heard, hostedBody()))
  const leaving = new AbortController()
  onTestFinished(() => leaving.abort())
  for (const url of [hosted.next_action.url, redirect.next_action.url]) {
    learn(url)
    const page = await (await fetch(url)).text()
    learn(page)
    for (const form of formsOf(page, url)) await submit(form)
    const [, live] = /data-live="([^"]+)"/.exec(page) ?? []
    if (live) await fetch(new URL(live.replaceAll('&amp;', '&'), url), { signal: leaving.signal })
  }
  const qr = await createPayment(heard)
  await fetch(qr.next_action.display_qr_code?.image_url ?? hosted.next_action.url)
  await movePayout(heard, (await addPayout(heard)).id, 'approve')
  const { url: link } = await succeeded(server.control('POST', '/dashboard/links'))
  learn(link)
  await fetch(link.replace('code=', 'co%64e='), { method: 'HEAD', redirect: 'manual' })
  await fetch(link, { redirect: 'manual' })
  for (const name of ['%73ignature', 'Signature', 'x;signature'])
    await fetch(hosted.next_action.url.replace('signature', name))
  await heard.call('GET', `/payment_intents/${account.keys.secret_key}`)
  await postPayment(heard, { ...hostedBody(), [account.keys.secret_key]: 1 })
  await fetch(`${server.url}/payment_intents?secret_key=${account.keys.secret_key}`)
  const archive = await succeeded(heard.control('GET', '/export'))
  await succeeded(heard.control('PUT', '/import', { body: archive }))
  await heard.advance('72h')
  await succeeded(heard.control('POST', '/reset'))
  await succeeded(heard.control('GET', '/webhook-endpoints'))

  await heard.control('GET', '/the-last-of-all')
  await expect
    .poll(() => server.events.some(({ path }) => String(path).endsWith('/the-last-of-all')))
    .toBe(true)
  const scan = startLeakScan()
  for (const line of server.events) scan.note(`${line.event} ${line.path ?? ''}`, [], JSON.stringify(line))
  expect(scan.seen()).toBeGreaterThan(30)
  expect(secrets.size).toBeGreaterThan(12)
  for (const secret of secrets) scan.expectNothingOf(secret)
})

test('history, requests and the event stream of the control surface contain no secret either', async () => {
  const server = await ownServer()
  const { test: account } = await openMerchant(server)
  const stream = await openStream(server, account)
  const endpoint = await subscribe(account, 'http://127.0.0.1:9/hook')
  const hosted = await succeeded(postPayment(account, hostedBody()))
  await fetch(hosted.next_action.url)
  const key = account.keys.secret_key
  await account.call('GET', `/payment_intents/${key}`)
  await postPayment(account, { ...hostedBody(), [key]: 1 })
  const history = await account.control('GET', `/history/${endpoint.id}`)
  const requests = await account.control('GET', '/requests')
  expect(history.body.data[0].events[0]).toMatchObject({ type: 'EndpointAdded', url: endpoint.url })
  expect(history.text).not.toContain(endpoint.secret)
  expect(requests.text).toContain('/checkout/')
  expect(requests.text).not.toContain(key)
  const isRequestFor = (path: string) => (message: Json) => String(message.path).startsWith(path)
  await stream.until(({ events }) => events?.some(({ type }: Json) => type === 'EndpointAdded'))
  await stream.until(isRequestFor('/checkout/'))
  const streamed = JSON.stringify(stream.messages)
  expect(streamed).not.toContain(endpoint.secret)
  const secrets = secretsIn(hosted.next_action.url)
  expect(secrets).not.toEqual([])
  for (const secret of secrets) {
    expect(requests.text).not.toContain(secret)
    expect(streamed).not.toContain(secret)
  }
})
