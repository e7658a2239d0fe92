import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { openWorkplace } from '../support/cli/workplace.ts'
import { workerPostgres } from '../support/postgres/postgres.ts'
import { whyNoPostgres } from '../support/postgres/programs.ts'

/** A process that was paused for longer than its lease. */

const reason = whyNoPostgres()
if (reason !== undefined) console.warn(`A process that returns to others is not tested here: ${reason}`)

test.skipIf(reason !== undefined)(
  'a process that others replaced with other settings while it was paused says so, and stops',
  async () => {
    const place = await openWorkplace({ apart: true })
    onTestFinished(place.close)
    const store = await (await workerPostgres()).newDatabase()
    const start = (token: string) => {
      const args = ['--port', '0', '--store', store, '--public-url', 'http://127.0.0.1:1', '--json']
      return place.start(['serve', ...args, '--control-token', `the-token-of-the-${token}-process`])
    }
    const paused = start('paused')
    const pid = Number(/"node":"[^"]*-(\d+)"/.exec(await paused.says(/"node"/))?.[1])
    let isOver = false
    onTestFinished(() => {
      if (!isOver) process.kill(pid, 'SIGKILL')
    })
    process.kill(pid, 'SIGSTOP')
    // Longer than its lease.
    await sleep(3500)
    const other = start('other')
    onTestFinished(() => void other.interrupt())
    await other.says(/"node"/)
    process.kill(pid, 'SIGCONT')
    const { code, stderr } = await paused.ended
    isOver = true
    expect(code, stderr).toBe(2)
    // What its database did not answer in the time that it was paused may be said before.
    expect(stderr.trimEnd().split('\n').at(-1)).toMatch(
      /^paysim serve: the control token of this process differs from that of the processes that already serve postgres:\S+: start it with theirs$/,
    )
    other.interrupt()
    expect(await other.ended).toMatchObject({ code: 0, stderr: '' })
  },
)
