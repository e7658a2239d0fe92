import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const ADDRESSES = {
  repository: { type: 'git', url: 'git+https://code.example/paysim.git' },
  bugs: { url: 'https://code.example/paysim/issues' },
  homepage: 'https://code.example/paysim#readme',
}

/** Our manifest with these addresses, and what refuses to publish it. */
function folderWith(addresses: Partial<typeof ADDRESSES>): string {
  const folder = mkdtempSync(join(tmpdir(), 'paysim-publishable-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const { repository, bugs, homepage, ...manifest } = JSON.parse(readFileSync('package.json', 'utf8'))
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, ...addresses }))
  cpSync('build/publishable.js', join(folder, 'build/publishable.js'))
  return folder
}

/** No registry is there, so nothing can be published by mistake. */
const run = (cwd: string, command: string, ...args: string[]) =>
  spawnSync(command, args, {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, npm_config_registry: 'http://127.0.0.1:9', npm_config_fetch_retries: '0' },
  })

test.each([
  ['npm', 'publish', '--dry-run'],
  ['npm', 'run', 'release', '--', '--dry-run', 'paysim-0.0.0.tgz'],
])('without the addresses of the project, `%s %s` publishes nothing', (...command) => {
  const [program, ...args] = command
  const { status, stderr } = run(folderWith({}), program, ...args)
  expect(status).toBe(1)
  for (const member of Object.keys(ADDRESSES)) expect(stderr).toContain(`\n  ${member}: `)
})

test('with all of them, the check lets it pass', () => {
  const { status, stderr } = run(folderWith(ADDRESSES), process.execPath, 'build/publishable.js')
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})

test.each(Object.keys(ADDRESSES))('an empty %s is missing too', member => {
  const { status, stderr } = run(
    folderWith({ ...ADDRESSES, [member]: '' }),
    process.execPath,
    'build/publishable.js',
  )
  expect(status).toBe(1)
  expect(stderr.split('\n').filter(line => line.startsWith('  '))).toEqual([
    expect.stringContaining(`  ${member}: `),
  ])
})
