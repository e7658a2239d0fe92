import { execFileSync } from 'node:child_process'
import { mkdir, symlink, truncate, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { pngImage } from '../support/payments/images.ts'
import { paysim, workspace } from '../support/scenario/workspace.ts'

// A scenario may come from a stranger: what its steps name is sent to a gateway that the stranger may own.

/** A gateway that keeps what it is sent. */
async function openGateway() {
  const got: Buffer[] = []
  const server = createServer((request, response) => {
    request.on('data', chunk => got.push(chunk)).on('end', () => response.writeHead(500).end('{}'))
  }).listen(0, '127.0.0.1')
  await new Promise(resolve => server.once('listening', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { url, received: () => Buffer.concat(got).toString('latin1') }
}

const story = (file: string) => `paysim: 1
name: A receipt
steps:
  - { submit receipt: pi_1, file: ${JSON.stringify(file)} }
`
/** The name of the file is known only in the run. */
const lateStory = (file: string) => `paysim: 1
name: A receipt
let: { file: ${JSON.stringify(file)} }
steps:
  - { submit receipt: pi_1, file: "\${file}" }
`

const SECRET = 'the secret of somebody else'

/** A folder with what a scenario in its folder `shared` must not send. */
async function besideSecrets() {
  const { folder, at } = await workspace({ 'secret.txt': SECRET })
  const shared = at('shared')
  await mkdir(join(shared, 'sub'), { recursive: true })
  await mkdir(at('shared-not'))
  await writeFile(at('shared-not/secret.txt'), SECRET)
  await symlink(at('secret.txt'), join(shared, 'link.png'))
  await symlink(folder, join(shared, 'up'))
  await symlink('/dev/zero', join(shared, 'zero.png'))
  execFileSync('mkfifo', [join(shared, 'pipe.png')])
  await writeFile(join(shared, 'large.png'), '')
  await truncate(join(shared, 'large.png'), 16 * 1024 * 1024 + 1)
  return { at, shared }
}

const OUTSIDE = 'is not below the folder of the scenario'
const REFUSED = [
  ['/etc/passwd', OUTSIDE],
  ['../secret.txt', OUTSIDE],
  ['../shared-not/secret.txt', OUTSIDE],
  ['sub/../../secret.txt', OUTSIDE],
  ['link.png', OUTSIDE],
  ['up/secret.txt', OUTSIDE],
  ['zero.png', OUTSIDE],
  ['/dev/zero', OUTSIDE],
  ['pipe.png', 'is not a regular file'],
  ['sub', 'is not a regular file'],
  ['large.png', 'is over 16 MiB'],
  ['missing.png', 'does not exist'],
  ['sub/../../../missing.png', 'does not exist'],
] as const

const keys = { PAYSIM_PUBLIC_KEY: 'pk_test_x', PAYSIM_SECRET_KEY: 'sk_test_x' }

test.each(REFUSED)('%s is not sent, and nothing is started', async (file, why) => {
  const gateway = await openGateway()
  const { shared } = await besideSecrets()
  await writeFile(join(shared, 'story.yaml'), story(file))
  const { code, stderr } = await paysim(['run', join(shared, 'story.yaml'), '--base-url', gateway.url], keys)
  expect(stderr).toContain(`story.yaml:4:29: file ${why}: ${file}`)
  expect(code).toBe(2)
  expect(gateway.received()).toBe('')
})

test.each(REFUSED)('%s is not sent if its name is known only in the run', async (file, why) => {
  const gateway = await openGateway()
  const { shared } = await besideSecrets()
  await writeFile(join(shared, 'story.yaml'), lateStory(file))
  const { code, stdout } = await paysim(['run', join(shared, 'story.yaml'), '--base-url', gateway.url], keys)
  expect(stdout).toContain(why)
  expect(code).toBe(10)
  expect(gateway.received()).toBe('')
})

test('a file below the folder is sent, by its name, a link or its full path', async () => {
  const gateway = await openGateway()
  const { at, shared } = await besideSecrets()
  await writeFile(join(shared, 'sub/slip.png'), pngImage(1))
  await symlink('sub/slip.png', join(shared, 'slip.png'))
  await symlink(shared, at('by-another-name'))
  for (const file of ['sub/slip.png', 'slip.png', join(shared, 'sub/slip.png')]) {
    await writeFile(join(shared, 'story.yaml'), story(file))
    await paysim(['run', at('by-another-name/story.yaml'), '--base-url', gateway.url], keys)
  }
  expect(gateway.received().match(/PNG/g)).toHaveLength(3)
})

test.each([
  ['zero.yaml', 'is not a regular file'],
  ['pipe.yaml', 'is not a regular file'],
  ['large.yaml', 'is over 16 MiB'],
])('%s in a folder is reported, and the others are run', async (name, why) => {
  const { folder, at } = await workspace({ 'good.yaml': 'paysim: 1\nname: Nothing\n' })
  if (name === 'zero.yaml') await symlink('/dev/zero', at(name))
  if (name === 'pipe.yaml') execFileSync('mkfifo', [at(name)])
  if (name === 'large.yaml') {
    await writeFile(at(name), '')
    await truncate(at(name), 16 * 1024 * 1024 + 1)
  }
  const { code, stdout, stderr } = await paysim(['run', folder])
  expect(stdout + stderr).toContain(`${at(name)}:1:1: ${why}`)
  expect(stdout).toContain('✓ Nothing')
  expect(code).toBe(2)
})
