import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, type TestContext, test } from 'vitest'
import { codeBlocks } from '../support/docs/code-blocks.ts'
import { compiler, PACKAGES, type Runner, runnerOf } from '../support/docs/runners.ts'

const blocks = codeBlocks('testing.md')
const PATIENCE = { timeout: 120_000 }

describe.concurrent('the examples of docs/testing.md work', () => {
  for (const { file, code, ...block } of blocks) {
    const runner = runnerOf({ file, code, ...block })
    if ('missing' in runner) {
      console.log(`${file} is not run: ${runner.missing}`)
      test.skip(`${file} (${runner.missing})`)
    } else test(file, PATIENCE, context => succeeds(runner, { [file]: code }, context))
  }

  test('and compile', PATIENCE, context =>
    succeeds(
      compiler,
      Object.fromEntries(
        blocks.filter(({ language }) => language === 'ts').map(({ file, code }) => [file, code]),
      ),
      context,
    ),
  )
})

type Runnable = Exclude<Runner, { missing: string }>

/** Runs in a folder of its own that has the packages as if they were installed. */
async function succeeds(runner: Runner, files: Record<string, string>, { onTestFinished }: TestContext) {
  const { command, files: more } = runner as Runnable
  const folder = await mkdtemp(join(tmpdir(), 'paysim-docs-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  for (const [name, path] of Object.entries(PACKAGES)) {
    if (!existsSync(path)) continue
    const link = join(folder, 'node_modules', name)
    await mkdir(dirname(link), { recursive: true })
    await symlink(path, link, 'junction')
  }
  for (const [name, text] of Object.entries({ ...more, ...files })) await writeFile(join(folder, name), text)
  const { code, output } = await run(command, folder)
  expect(code, output).toBe(0)
}

async function run([file = '', ...args]: readonly string[], cwd: string) {
  // A test runner inside a test runner must not take itself for a part of the outer one.
  const { NODE_OPTIONS: _, VITEST: __, NODE_TEST_CONTEXT: ___, ...env } = process.env
  const child = spawn(file, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', text => {
      output += text
    })
  const code = await new Promise<number | null>(resolve => child.once('close', resolve))
  return { code, output }
}
