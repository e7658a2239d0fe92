import { expect, test } from 'vitest'
import { driven } from '../../support/cli/sim.ts'

const { shop } = driven()

test('prints events as they happen, one record per line', async () => {
  const { sim, pay, following } = await streamOf('-o jsonl --count 2')
  await following
  const { id } = await pay()
  const { code, stdout } = await sim
  const [first, second] = stdout
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line))
  expect(code).toBe(0)
  expect(first).toMatchObject({
    event: 'entry',
    data: { by: 'merchant', events: [{ type: 'PaymentCreated', payment: id }, {}, {}, {}] },
  })
  expect(second).toMatchObject({
    event: 'request',
    data: { method: 'POST', path: '/payment_intents', status: 201 },
  })
})

test('stream prints events in words', async () => {
  const { sim, pay, following } = await streamOf('--only entries --count 1')
  await following
  const { id } = await pay()
  const { stdout } = await sim
  expect(stdout).toMatch(new RegExp(`merchant +payment created +${id} +2,500\\.01 THB, TH, merchant`))
  expect(stdout).not.toContain('request')
})

test('Ctrl-C ends stream with 130', async () => {
  const { sim, following, interrupt } = await streamOf('')
  await following
  interrupt()
  expect(await sim).toMatchObject({ code: 130, stdout: '' })
})

/** A stream that is being followed once `following` settles. */
async function streamOf(words: string) {
  const one = await shop()
  const child = one.start(`stream ${words}`.trim())
  const ended = child.then(({ exitCode, stdout, stderr }) => ({ code: exitCode, stdout, stderr }))
  const following = new Promise<void>((resolve, reject) => {
    let said = ''
    child.stderr.setEncoding('utf8').on('data', text => {
      said += text
      if (said.includes(`following ${one.keys.id}`)) resolve()
    })
    ended.then(({ stderr }) => reject(new Error(`it ended before it followed: ${stderr}`)), reject)
  })
  return { pay: one.pay, following, sim: ended, interrupt: () => child.kill('SIGINT') }
}
