import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { layOut } from './lay-out.js'

const BINARY = fileURLToPath(new URL('../../bin/paysim.js', import.meta.url))
/** The address in the documents. */
const SHOWN = '127.0.0.1:7297'
/** A block that can be run, and the next block with its answer, if there is one. */
const EXAMPLE = /^```sh run\n([\s\S]*?)^```\n(\n```(json|text)[^\n]*\n[\s\S]*?^```\n)?/gm

/** Why the examples cannot be run here; undefined if they can. */
export function whatIsMissing() {
  return ['bash', 'curl'].find(tool => spawnSync(tool, ['--version']).status !== 0)
}

/**
 * The page with the answer after each example. The examples run in order, in one shell and one new directory, with
 * their own server. A seed and a virtual clock make the answers repeat.
 */
export async function withAnswers(page) {
  const blocks = [...page.matchAll(EXAMPLE)].map(([, commands]) => commands)
  const answers = await answersOf(blocks)
  let nth = 0
  return page.replace(EXAMPLE, (_, commands, shown) => {
    const { status, output } = answers[nth++]
    const block = `\`\`\`sh run\n${commands}\`\`\`\n`
    if (shown === undefined) return block
    const { language, text } = layOut(output)
    return `${block}\n\`\`\`${[language, status].filter(Boolean).join(' ')}\n${text}\n\`\`\`\n`
  })
}

async function answersOf(blocks) {
  const directory = mkdtempSync(join(tmpdir(), 'paysim-docs-'))
  const server = await serve(directory)
  try {
    return run(blocks, directory, server.host)
  } finally {
    await server.stop()
    rmSync(directory, { recursive: true, force: true })
  }
}

async function serve(cwd) {
  const flags = [
    '--json',
    '--port',
    '0',
    '--seed',
    '7',
    '--clock',
    'virtual',
    '--control-token',
    'docs-token',
  ]
  const child = spawn(process.execPath, [BINARY, 'serve', ...flags], {
    cwd,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = new Promise(resolve => child.once('exit', resolve))
  const lines = createInterface({ input: child.stdout })
  const first = await new Promise((resolve, reject) => {
    lines.once('line', resolve)
    ended.then(code => reject(new Error(`paysim serve ended with ${code} before it was ready`)))
  })
  return {
    host: new URL(JSON.parse(first).url).host,
    stop: () => {
      child.kill()
      return ended
    },
  }
}

function run(blocks, directory, host) {
  const results = join(directory, '.results')
  mkdirSync(results)
  const script = [
    'set -euo pipefail',
    // Prints the body unchanged, and the status on stderr.
    `curl() { command curl -sS -w '\\n%{stderr}%{http_code}\\n' "$@"; }`,
    // Runs this build, as if paysim were installed in the folder.
    `npx() { shift 2; '${process.execPath}' '${BINARY}' "$@"; }`,
    ...blocks.map((block, at) => `{\n${block}} > '${results}/${at}.out' 2> '${results}/${at}.err'`),
  ].join('\n')
  writeFileSync(join(results, 'script'), script.replaceAll(SHOWN, host))
  const { status } = spawnSync('bash', [join(results, 'script')], { cwd: directory, stdio: 'ignore' })
  return blocks.map((block, at) => {
    const [output, errors] = ['out', 'err'].map(kind => read(join(results, `${at}.${kind}`)))
    const codes = errors.split('\n').filter(line => /^\d{3}$/.test(line))
    if (output === '' && codes.length === 0 && status !== 0)
      throw new Error(`an example failed, or one before it did:\n${block}\n${errors}`)
    return { output: output.replaceAll(host, SHOWN), status: codes.at(-1) }
  })
}

function read(path) {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
