import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { archiveOfPayments } from './archive.js'
import { busyMilliseconds } from './child.js'
import { postJson, putJson, servePaysim } from './paysim.js'
import { emptyFolder } from './store.js'

const RECEIVER = fileURLToPath(new URL('receiver.js', import.meta.url))
const HOUR = 3_600_000

/** Measures how many webhooks a second go to one receiver: on a real clock, and in an `advance`. */
export async function measureDeliveries({ binary, deliveries: count }, onEnd) {
  const receiver = fork(RECEIVER)
  onEnd(() => receiver.disconnect())
  const [{ url }] = await once(receiver, 'message')
  const folder = await emptyFolder()
  onEnd(folder.remove)
  const server = await servePaysim(binary, ['--data', folder.path, '--clock', 'virtual'])
  onEnd(server.stop)

  /** The events of payments that expire at one time. */
  const prepared = async () => {
    let dueAt
    const archive = await archiveOfPayments(server, count, at => {
      dueAt = at + HOUR
      return dueAt
    })
    await archive.send()
    await postJson(`${server.control}/webhook-endpoints`, server.controlAuthorization, { url })
    return dueAt
  }
  const measured = async (name, target, act) => {
    receiver.send(count)
    const busyBefore = busyMilliseconds(server.pid)
    const startedAt = performance.now()
    await Promise.all([once(receiver, 'message'), act()])
    const ours = (count * 1000) / (performance.now() - startedAt)
    const busy = (busyMilliseconds(server.pid) - busyBefore) / count
    return [
      { name, unit: '/s', ours, other: target, ratio: ours / target, atLeast: 1 },
      { name: '  processor time for each', unit: 'µs', ours: busy * 1000 },
    ]
  }
  await prepared()
  const inAdvance = await measured('deliveries in an advance', 3000, () =>
    postJson(`${server.control}/clock/advance`, server.controlAuthorization, { by: '10d' }),
  )
  const dueAt = await prepared()
  const inReal = await measured('deliveries on a real clock', 4000, () =>
    putJson(`${server.control}/clock`, server.controlAuthorization, {
      mode: 'real',
      now: new Date(dueAt).toISOString(),
    }),
  )
  return [...inAdvance, ...inReal]
}
