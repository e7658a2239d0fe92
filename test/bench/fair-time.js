import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { archiveOfPayments } from './archive.js'
import { getJson, postJson, servePaysim } from './paysim.js'
import { emptyFolder } from './store.js'
import { shown } from './table.js'

const PROBE = fileURLToPath(new URL('probe.js', import.meta.url))
/** No call of another account may wait longer for an import or an export. */
const MOST_MS = 100
/** Nor for an advance. */
const MOST_FOR_ADVANCE_MS = 60

/** Measures long work for one account, and how long calls to another one and to `health` wait meanwhile. */
export async function measureFairTime({ binary, timers, imported }, onEnd) {
  const folder = await emptyFolder()
  onEnd(folder.remove)
  const server = await servePaysim(binary, ['--data', folder.path, '--clock', 'virtual'])
  onEnd(server.stop)
  const { body: other } = await postJson(`${server.root}/merchants`, server.controlAuthorization, {})
  const { public_key, secret_key } = other.accounts[0]
  const probe = await startProbe(server.url, public_key, secret_key)
  onEnd(probe.stop)

  const rows = []
  const during = async (name, mostMs, work, longestMs = MOST_MS) => {
    await probe.longest()
    const startedAt = performance.now()
    await work()
    const ours = performance.now() - startedAt
    rows.push({ name, unit: 'ms', ours, ...(mostMs && { other: mostMs, ratio: ours / mostMs, atMost: 1 }) })
    const longest = await probe.longest()
    rows.push({
      ...{ name: '  longest wait of another account', unit: 'ms' },
      ...{ ours: longest, other: longestMs, ratio: longest / longestMs, atMost: 1 },
    })
  }
  const importing = async (count, dueAt) => {
    const archive = await archiveOfPayments(server, count, dueAt)
    await during(`import of ${shown(Math.round(archive.bytes / 1e6))} MB`, undefined, archive.send)
  }
  const advancing = (name, mostMs) => {
    const advance = async () => {
      const { body } = await postJson(`${server.control}/clock/advance`, server.controlAuthorization, {
        by: '10d',
      })
      if (body.fired < timers) throw new Error(`${body.fired} of ${timers} timers fired`)
    }
    return during(name, mostMs, advance, MOST_FOR_ADVANCE_MS)
  }

  const some = shown(timers)
  await importing(timers, at => at)
  await advancing(`advance over ${some} timers, one due time`, (timers / 100_000) * 2000)
  await during('export of that', undefined, () =>
    getJson(`${server.control}/export`, server.controlAuthorization),
  )
  await importing(timers, (at, nth) => at + nth)
  await advancing(`advance over ${some} timers, each with its own`, (timers / 100_000) * 3000)
  await importing(imported, (at, nth) => at + nth)
  return rows
}

/** A process that asks an account and `health` again and again. */
export async function startProbe(url, publicKey, secretKey) {
  const authorization = `Basic ${Buffer.from(`${publicKey}:${secretKey}`).toString('base64')}`
  const child = fork(PROBE, [url, authorization])
  return {
    async longest() {
      child.send('next')
      const [{ longest }] = await once(child, 'message')
      return longest
    },
    async stop() {
      child.disconnect()
      await once(child, 'exit')
    },
  }
}
