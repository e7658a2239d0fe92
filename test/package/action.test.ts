import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { execa } from 'execa'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { cleanEnvironment } from '../support/cli/clean-environment.ts'
import { type Packed, packAndUnpack } from '../support/package/packed.ts'

// The steps of action.yml, run as a runner of GitHub does, with the packed package.

interface Step {
  readonly if: string
  readonly shell: string
  readonly env?: Readonly<Record<string, string>>
  readonly run: string
}

const action = parse(readFileSync('action.yml', 'utf8'))
const steps: readonly Step[] = action.runs.steps

let packed: Packed
beforeAll(() => {
  packed = packAndUnpack()
}, 120_000)
afterAll(() => rmSync(packed.directory, { recursive: true, force: true }))

/** A job whose steps share files, as those of GitHub do. */
function job() {
  const folder = mkdtempSync(join(tmpdir(), 'paysim-action-'))
  const path = (name: string) => join(folder, name)
  const { GITHUB_ENV, GITHUB_PATH, GITHUB_OUTPUT, RUNNER_TEMP } = {
    GITHUB_ENV: path('env'),
    GITHUB_PATH: path('path'),
    GITHUB_OUTPUT: path('output'),
    RUNNER_TEMP: path('temp'),
  }
  for (const name of ['temp', 'home', 'work']) mkdirSync(path(name))
  for (const file of [GITHUB_ENV, GITHUB_PATH, GITHUB_OUTPUT]) writeFileSync(file, '')
  onTestFinished(async () => {
    const pid = path('temp/paysim/pid')
    if (existsSync(pid)) killIfThere(Number(readFileSync(pid, 'utf8')))
    rmSync(folder, { recursive: true, force: true })
  })
  const lines = (file: string) => readFileSync(file, 'utf8').split('\n').filter(Boolean)
  const variables = (file: string) =>
    Object.fromEntries(
      lines(file).map(line => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    )

  /** A later step of the job: with the variables and the folders that the steps before left. */
  async function run(script: string, env: Readonly<Record<string, string>> = {}) {
    writeFileSync(path('step.sh'), script)
    const { PATH = '', ...clean } = cleanEnvironment(path('home'))
    const added = { GITHUB_ENV, GITHUB_PATH, GITHUB_OUTPUT, RUNNER_TEMP, ...variables(GITHUB_ENV) }
    const folders = [...lines(GITHUB_PATH).reverse(), PATH].join(delimiter)
    // As the runner starts `shell: bash`.
    const { exitCode, all } = await execa(
      'bash',
      ['--noprofile', '--norc', '-eo', 'pipefail', path('step.sh')],
      {
        cwd: path('work'),
        env: { ...clean, ...added, ...env, PATH: folders },
        extendEnv: false,
        reject: false,
        all: true,
      },
    )
    return { code: exitCode, said: all }
  }

  /** `uses: paysim` with these inputs. */
  async function use(given: Readonly<Record<string, string>>) {
    const inputs: Record<string, string> = {}
    for (const [name, { default: value }] of Object.entries<{ default: string }>(action.inputs))
      inputs[name] = value
    Object.assign(inputs, given)
    let failed = false
    const said: string[] = []
    for (const step of steps) {
      expect(step.shell).toBe('bash')
      const { [step.if]: condition } = {
        "inputs.log != 'true'": !failed && inputs.log !== 'true',
        "failure() || inputs.log == 'true'": failed || (!failed && inputs.log === 'true'),
      } as Record<string, boolean>
      expect(condition, `what the test knows of: if: ${step.if}`).toBeDefined()
      if (!condition) continue
      // What somebody gives must not become a part of the script.
      expect(step.run).not.toContain('${{')
      const env = Object.entries(step.env ?? {}).map(([name, value]) => [
        name,
        value.replace(/^\$\{\{ inputs\.(\w+) \}\}$/, (_, input) => inputs[input] ?? ''),
      ])
      const result = await run(step.run, Object.fromEntries(env))
      said.push(result.said)
      failed ||= result.code !== 0
    }
    return { failed, said: said.join('\n') }
  }
  return { run, use, variables: () => variables(GITHUB_ENV), outputs: () => variables(GITHUB_OUTPUT) }
}

function killIfThere(pid: number): void {
  try {
    process.kill(pid)
  } catch {
    // It ended by itself.
  }
}

const CREATE = 'paysim payments create --amount "100.00 THB" --country TH --merchant-reference'

test.skipIf(process.platform === 'win32')(
  'a job has paysim, its keys and, once it failed, what paysim said',
  async () => {
    const { use, run, variables, outputs } = job()
    const used = await use({ version: packed.tarball, options: '--ephemeral  --clock virtual --seed 7' })
    expect(used.failed, used.said).toBe(false)
    const { PAYSIM_BASE_URL, PAYSIM_SECRET_KEY, PAYSIM_CONTROL_TOKEN } = variables()
    expect(outputs()).toEqual({ url: PAYSIM_BASE_URL })
    for (const secret of [PAYSIM_SECRET_KEY, PAYSIM_CONTROL_TOKEN, 'sk_live_\\w+'])
      expect(used.said).toMatch(new RegExp(`^::add-mask::${secret}$`, 'm'))

    const created = await run(`${CREATE} '::error::injected' --query id`)
    expect(created, created.said).toMatchObject({ code: 0, said: expect.stringMatching(/^pi_\w+$/m) })
    const advanced = await run('paysim sim clock advance 5s')
    expect(advanced.code, advanced.said).toBe(0)

    const shown = await use({ log: 'true' })
    expect(shown.failed, shown.said).toBe(false)
    const [, token] = /^::stop-commands::(\S+)\n/.exec(shown.said) ?? []
    expect(shown.said.endsWith(`\n::${token}::`)).toBe(true)
    expect(shown.said).toContain(`paysim is ready at ${PAYSIM_BASE_URL}`)
    expect(shown.said).toContain('POST /payment_intents')
  },
)

test.skipIf(process.platform === 'win32')('a job fails if paysim does not start, and shows why', async () => {
  const used = await job().use({ version: packed.tarball, options: '--watch' })
  expect(used.failed).toBe(true)
  expect(used.said).toContain('--watch needs --scenario')
})

test.skipIf(process.platform === 'win32')(
  'a job that names no version installs nothing, and says what to name',
  async () => {
    for (const version of ['', 'latest', 'git+https://example.com/x']) {
      const used = await job().use({ version })
      expect(used.failed).toBe(true)
      expect(used.said).toContain('version is needed')
      expect(used.said).toContain('paysim was not started.')
      expect(used.said).not.toContain('No such file')
    }
  },
)
