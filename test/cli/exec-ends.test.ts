import { describe, expect, test } from 'vitest'
import { exec, node } from '../support/cli/exec.ts'

/** A process that ends for nobody but SIGKILL, and holds the output of the test open until it is gone. */
const STUBBORN =
  "for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => {}); setInterval(() => {}, 1000)"
const leaveBehind = (script: string) =>
  `const { spawn } = await import('node:child_process')
   const left = spawn(process.execPath, ['-e', ${JSON.stringify(`${script}; console.log('left is up')`)}], { stdio: 'inherit' })
   left.unref()`

// Each waits for the output to close, which happens only when all who could write to it are gone.
describe.skipIf(process.platform === 'win32')('paysim exec leaves nothing behind', () => {
  test.each(['SIGINT', 'SIGTERM', 'SIGHUP'] as const)(
    '%s is passed on to the command, and exec returns its status',
    async name => {
      const run = exec(
        node(`process.on('${name}', () => process.exit(40)); setInterval(() => {}, 1000); console.log('up')`),
      )
      await run.printed('up')
      run.kill(name)
      expect(await run.ended).toMatchObject({ code: 40, signal: null })
    },
  )

  test('a signal that the command does not handle ends it', async () => {
    const run = exec(node("setInterval(() => {}, 1000); console.log('up')"))
    await run.printed('up')
    run.kill('SIGTERM')
    expect((await run.ended).code).toBe(143)
  })

  test('a command may ignore an interrupt, as a prompt does', async () => {
    const run = exec(
      node(`
        let nth = 0
        process.on('SIGINT', () => { console.log('interrupt ' + ++nth); if (nth === 3) process.exit(0) })
        setInterval(() => {}, 1000)
        console.log('up')`),
    )
    await run.printed('up')
    for (const nth of [1, 2, 3]) {
      run.kill('SIGINT')
      await run.printed(`interrupt ${nth}`)
    }
    expect((await run.ended).code).toBe(0)
  })

  test('a signal before the command has started ends paysim', async () => {
    const run = exec(node("console.log('it ran')"))
    run.kill('SIGTERM')
    const { code, signal, stdout } = await run.ended
    // Either nobody listened yet, or the start was undone.
    expect(code === 143 || signal === 'SIGTERM').toBe(true)
    expect(stdout).toBe('')
  })

  test('exec ends what the command left running', async () => {
    const run = exec(
      node(`${leaveBehind(STUBBORN)}
      const { setTimeout: pause } = await import('node:timers/promises')
      process.on('SIGUSR2', () => process.exit(5))
      console.log('pid ' + process.pid + '.')
      await pause(60000)`),
    )
    await run.printed('left is up')
    // Either of the two may be the first to print.
    const printed = await run.printed(/pid \d+\./)
    process.kill(Number(/pid (\d+)\./.exec(printed)?.[1]), 'SIGUSR2')
    expect((await run.ended).code).toBe(5)
  })

  test('exec kills a command that does not end, with everything it started', async () => {
    const run = exec(node(`${leaveBehind(STUBBORN)}; ${STUBBORN}`))
    await run.printed('left is up')
    run.kill('SIGTERM')
    expect((await run.ended).code).toBe(137)
  })

  test('the command ends even when paysim itself is killed', async () => {
    const run = exec(node(`${leaveBehind(STUBBORN)}; ${STUBBORN}; console.log(process.env.PAYSIM_BASE_URL)`))
    const printed = (await run.printed('left is up')) + (await run.printed(/http\S+\n/))
    run.kill('SIGKILL')
    expect(await run.ended).toMatchObject({ code: null, signal: 'SIGKILL' })
    await expect(fetch(/http\S+/.exec(printed)?.[0] ?? '')).rejects.toThrow()
  })
})
