import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { processesWith } from '../../src/application/process-family.ts'
import { runBinary } from '../support/gateway/server.ts'

const SERVES = `require('node:http').createServer((q, s) => s.end('{"paid":true}')).listen(process.env.PORT);`

interface Behaviour {
  /** What the application does. */
  readonly script: string
  readonly app?: Record<string, unknown>
  /** How long its answer is waited for; an end, or what is expected, ends the wait. */
  readonly within?: string
  /** The exit code of `paysim run`, and what it must say in one line. */
  readonly code: number
  readonly says: RegExp
}

const BEHAVIOURS: Record<string, Behaviour> = {
  'never answers': {
    script: `require('node:http').createServer(() => {}).listen(process.env.PORT)`,
    within: '500ms',
    code: 10,
    says: /answer: no whole answer came|no answer within 1 s/,
  },
  'exits at once': {
    script: `console.error('no database'); process.exit(3)`,
    code: 10,
    says: /ended with exit code 3 before it was ready[\s\S]*no database/,
  },
  'ends during the run': {
    script: `require('node:http').createServer(() => process.exit(4)).listen(process.env.PORT)`,
    code: 10,
    says: /the application ended with exit code 4/,
  },
  'floods its output': {
    script: `${SERVES} setInterval(() => { for (let i = 0; i < 500; i++) console.log('x'.repeat(500)) }, 1)`,
    code: 0,
    says: /1 passed|✓/,
  },
  'leaves children that ignore SIGTERM': {
    script: `${SERVES} require('node:child_process').spawn(process.execPath,
      ['-e', "process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"], { detached: true, stdio: 'ignore' }).unref()`,
    code: 0,
    says: /1 passed|✓/,
  },
  'needs long to start': {
    script: `setTimeout(() => { ${SERVES} }, 3000)`,
    code: 0,
    says: /1 passed|✓/,
  },
  'says that it is not ready for a while': {
    script: `let asked = 0; require('node:http').createServer((q, s) => {
      if (q.url === '/health') return s.writeHead(++asked < 5 ? 503 : 204).end()
      s.end(JSON.stringify({ paid: asked >= 5 })) }).listen(process.env.PORT)`,
    app: { ready: 'GET /health' },
    code: 0,
    says: /1 passed|✓/,
  },
  'listens on IPv6 alone': {
    script: SERVES.replace('process.env.PORT', `process.env.PORT, '::1'`),
    code: 0,
    says: /1 passed|✓/,
  },
}

test.concurrent.for(Object.entries(BEHAVIOURS))(
  'an application that %s',
  async ([, { script, app, within = '60s', code, says }], { onTestFinished }) => {
    const folder = await mkdtemp(join(tmpdir(), 'paysim-ill-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const temporary = join(folder, 'tmp')
    await mkdir(temporary)
    const file = join(folder, 'story.json')
    const steps = [{ 'expect app': 'GET /', is: { paid: true }, within }]
    const start = [process.execPath, '-e', script]
    const env = { SHOP_OF: folder }
    await writeFile(file, JSON.stringify({ paysim: 1, name: 'a story', app: { start, env, ...app }, steps }))
    const ended = await runBinary(['run', file], { env: { TMPDIR: temporary } })
    expect(ended.stdout + ended.stderr).toMatch(says)
    expect(ended.code).toBe(code)
    expect(processesWith(`SHOP_OF=${folder}`)).toEqual([])
    expect((await readdir(temporary)).filter(name => name.startsWith('paysim-app-'))).toEqual([])
  },
)
