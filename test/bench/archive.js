import { Readable } from 'node:stream'
import { recordName } from './names.js'
import { PAYMENTS, postJson, transferPayment } from './paysim.js'

const PART = 256 * 1024

/**
 * An archive of many payments that wait for a transfer, made of one that the server creates: so its entries are what the
 * server itself writes. `dueAt` gives the time at which each expires.
 */
export async function archiveOfPayments(server, count, dueAt) {
  await postJson(server.url + PAYMENTS, server.authorization, transferPayment('sample'))
  const response = await fetch(`${server.control}/export`, {
    headers: { authorization: server.controlAuthorization },
  })
  const { account, seed, entries } = await response.json()
  const [clock, sample] = [entries.at(0), entries.at(-1)]
  const { payment, expiresAt } = sample.events[0]
  const text = JSON.stringify(sample)
  function* parts() {
    let part = `{"paysim":1,"account":"${account}","seed":${JSON.stringify(seed)},"entries":[${JSON.stringify({ ...clock, seq: 1 })}`
    for (let nth = 1; nth <= count; nth++) {
      part += `,${text
        .replaceAll(payment, recordName('pi', nth))
        .replaceAll(String(expiresAt), String(dueAt(expiresAt, nth)))
        .replace(/"seq":\d+/, `"seq":${nth + 1}`)
        .replace('"sample"', `"order-${nth}"`)}`
      if (part.length < PART) continue
      yield Buffer.from(part)
      part = ''
    }
    yield Buffer.from(`${part}],"images":{}}`)
  }
  return {
    bytes: text.length * count,
    send: async () => {
      const answer = await fetch(`${server.control}/import`, {
        method: 'PUT',
        headers: { authorization: server.controlAuthorization, 'content-type': 'application/json' },
        body: Readable.from(parts()),
        duplex: 'half',
      })
      if (!answer.ok) throw new Error(`the import was answered ${answer.status}: ${await answer.text()}`)
    },
  }
}
