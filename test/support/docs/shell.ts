import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { BINARY } from '../paysim-binary.ts'

/** The address in the documents. */
const SHOWN = '127.0.0.1:7297'

export const readPage = (path: string) => readFileSync(new URL(`../../../${path}`, import.meta.url), 'utf8')

/** The shell blocks of a page. */
export const shellBlocks = (page: string) =>
  [...page.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].map(([, commands = '']) => commands)

/** What a shell block needs and this machine does not have. */
export const missingTool = ['bash', 'curl'].find(tool => spawnSync(tool, ['--version']).status !== 0)
if (missingTool)
  console.log(`The shell examples of the documents are skipped: there is no ${missingTool} here.`)

/** The output of each call of curl, in order. */
export interface CurlOutput {
  status: number
  body: unknown
}

/** Runs a block in bash, in a directory, as a user with a server at this address. */
export async function type(block: string, at: { directory: string; url: string }): Promise<CurlOutput[]> {
  const script = `set -euo pipefail
curl() { command curl -sS -w '\\n%{http_code}\\n' "$@"; }
npx() { shift 2; '${process.execPath}' '${BINARY}' "$@"; }
${block.replaceAll(SHOWN, new URL(at.url).host)}`
  const { stdout } = await promisify(execFile)('bash', ['-c', script], { cwd: at.directory })
  const lines = stdout.split('\n').filter(line => line !== '')
  return lines.flatMap((line, nth) =>
    /^\d{3}$/.test(line) ? { status: Number(line), body: JSON.parse(lines[nth - 1] ?? 'null') } : [],
  )
}
