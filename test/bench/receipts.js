import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { Agent } from 'undici'
import { busyMilliseconds, startBare } from './child.js'
import { compareLoads } from './load.js'
import { recordName } from './names.js'
import { PAYMENTS, servePaysim } from './paysim.js'
import { inTurn } from './rounds.js'
import { emptyFolder, makeStore } from './store.js'

const IMAGE_BYTES = 200_000
const AT_ONCE = 16
const BOUNDARY = 'paysim-bench'
const JPEG_START = Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex')

/** Uploads of receipts, each for a payment of its own and with an image of its own. */
export async function measureReceipts({ binary, rounds, receipts: count }, onEnd) {
  const store = await makeStore(binary, 'payments', count * (rounds + 1))
  onEnd(store.remove)
  const server = await servePaysim(binary, ['--data', store.path])
  onEnd(server.stop)
  const folder = await emptyFolder()
  onEnd(folder.remove)
  const bare = await startBare('bodies', { length: 900, file: join(folder.path, 'bodies') })
  onEnd(bare.stop)
  const agent = new Agent({ connections: AT_ONCE })
  onEnd(() => agent.close())

  const uploading = ({ url, pid }) => {
    let nth = 0
    return async () => {
      const busyBefore = busyMilliseconds(pid)
      const startedAt = performance.now()
      const end = nth + count
      const upload = async () => {
        while (nth < end) {
          const payment = recordName(store.prefix, ++nth)
          await post(agent, url, `${PAYMENTS}/${payment}/receipt`, server.authorization)
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, upload))
      return {
        measured: (count * 1000) / (performance.now() - startedAt),
        busy: (busyMilliseconds(pid) - busyBefore) / count,
      }
    }
  }
  const contenders = { ours: uploading(server), other: uploading(bare) }
  await inTurn(contenders, 1)
  const { ours, other } = await inTurn(contenders, rounds)
  return [compareLoads('a receipt of 200 KB, to bare group commit', { ours, other, atLeast: 0.45 })]
}

async function post(agent, origin, path, authorization) {
  const { statusCode, body } = await agent.request({
    origin,
    path,
    method: 'POST',
    headers: {
      authorization,
      'content-type': `multipart/form-data; boundary=${BOUNDARY}`,
      'idempotency-key': randomBytes(12).toString('hex'),
    },
    body: form(),
  })
  const text = await body.text()
  if (statusCode !== 200) throw new Error(`${path} was answered ${statusCode}: ${text}`)
}

const form = () =>
  Buffer.concat([
    Buffer.from(
      `--${BOUNDARY}\r\ncontent-disposition: form-data; name="file"; filename="slip.jpg"\r\ncontent-type: image/jpeg\r\n\r\n`,
    ),
    JPEG_START,
    randomBytes(IMAGE_BYTES),
    Buffer.from(`\r\n--${BOUNDARY}--\r\n`),
  ])
