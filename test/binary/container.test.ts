import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { execa } from 'execa'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { parse } from 'yaml'
import { servePacked } from '../support/package/serve-packed.ts'
import { filesBelow } from '../support/structure/files-below.ts'

// What the Dockerfile makes, without an engine for containers: the same files in a root of their own, the same user, nothing
// that can be written but /data. Not tested: that an engine builds it, and its network.

const dockerfile = readFileSync('Dockerfile', 'utf8')
const instruction = (name: string) => new RegExp(`^${name} (.+)$`, 'm').exec(dockerfile)?.[1] ?? ''
const listed = (name: string): string[] => JSON.parse(instruction(name))
const checked = JSON.parse(/^HEALTHCHECK .*CMD (.+)$/m.exec(dockerfile)?.[1] ?? '')

/** Without these, a process cannot get a root of its own. */
const missing =
  process.platform !== 'linux' || process.getuid?.() !== 0
    ? 'only root on Linux may change the root of a process'
    : spawnSync('unshare', ['--mount', 'mount', '-t', 'proc', 'proc', '/proc']).status !== 0
      ? 'this machine allows no mounts of its own'
      : undefined

/** The recipe for compose, as docs/install.md has it. */
const recipe = () => {
  const [, yaml = ''] =
    /^```yaml\n(# compose\.yaml\n.*?)^```/ms.exec(readFileSync('docs/install.md', 'utf8')) ?? []
  return parse(yaml).services
}

describe.skipIf(missing !== undefined)(
  `the image${missing ? `, which is not tested: ${missing}` : ''}`,
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'paysim-image-'))
    const [root, data] = [join(folder, 'image'), join(folder, 'data')]
    afterAll(() => rmSync(folder, { recursive: true, force: true }))

    beforeAll(() => {
      const [, gather = ''] = /^RUN (mkdir .*?)\n\n/ms.exec(dockerfile) ?? []
      const here = gather
        .replaceAll(/(?<=\s)\/(image|data)\b/g, `${folder}/$1`)
        .replaceAll('/binary/', 'dist/binary/')
      execFileSync('sh', ['-ec', here], {
        env: { ...process.env, TARGETARCH: process.arch === 'arm64' ? 'arm64' : 'amd64' },
      })
      execFileSync('chown', [instruction('USER'), data])
      for (const name of ['data', 'proc']) mkdirSync(join(root, name))
    })

    /** What an engine runs: the root cannot be written, /data is a volume, and /proc is there. */
    const inside = (...command: readonly string[]) => {
      const script = `root=$1 data=$2 user=$3; shift 3
      mount --bind "$root" "$root"; mount -o remount,ro,bind "$root"
      mount --bind "$data" "$root/data"; mount -t proc proc "$root/proc"
      exec chroot --userspec="$user" --groups= "$root" "$@"`
      return ['unshare', '--mount', 'sh', '-ec', script, 'sh', root, data, instruction('USER'), ...command]
    }
    const env = {
      PATH: process.env.PATH,
      HOME: '/data',
      PAYSIM_DATA: instruction('ENV').replace('PAYSIM_DATA=', ''),
    }
    const run = async (...command: readonly string[]) => {
      const [program = '', ...args] = inside(...command)
      const { exitCode, stdout, stderr } = await execa(program, args, {
        env,
        extendEnv: false,
        reject: false,
      })
      return { code: exitCode, stdout, stderr }
    }
    const served = async (command: readonly string[]) => {
      const server = await servePacked(inside(...listed('ENTRYPOINT'), ...command), { env })
      onTestFinished(async () => void (await server.stop()))
      return server
    }

    test('has the file, its libraries and its licences, and no other program', () => {
      const files = filesBelow(root).map(file => file.slice(root.length))
      expect(files.filter(file => !/\/(lib|lib64|etc)\//.test(file)).sort()).toEqual([
        '/usr/local/bin/paysim',
        '/usr/share/doc/paysim/licences.txt',
      ])
      expect(files.filter(file => /\/lib(64)?\//.test(file) && !/\.so(\.|$)/.test(file))).toEqual([])
    })

    test('serves, makes its token once in /data, and says that it is healthy', async () => {
      const first = await served(listed('CMD'))
      expect(await run(...checked)).toEqual({ code: 0, stdout: 'ready', stderr: '' })
      expect(readFileSync(join(data, 'control-token'), 'utf8').trim()).toBe(first.ready.control_token)
      expect((await first.stop()).code).toBe(0)
      expect((await run(...checked)).code).toBe(1)
      const again = await served(listed('CMD'))
      expect(again.ready.control_token).toBe(first.ready.control_token)
      expect((await again.stop()).code).toBe(0)
    })

    test('can write nothing but /data', async () => {
      const outside = await run(...listed('ENTRYPOINT'), 'scenario', 'new', '/usr/local/story.yaml')
      expect(outside.stderr).toMatch(/read-only|EROFS/i)
      expect(await run(...listed('ENTRYPOINT'), 'scenario', 'new', '/data/story.yaml')).toMatchObject({
        code: 0,
      })
    })

    test('answers by the names of the recipe for compose, and sends webhooks to them', async () => {
      for (const name of readdirSync(data)) rmSync(join(data, name), { recursive: true })
      const { paysim, shop } = recipe()
      const { ready, stop } = await served(paysim.command)
      const { PAYSIM_BASE_URL, PAYSIM_PUBLIC_KEY, PAYSIM_SECRET_KEY } = shop.environment
      const [account] = ready.accounts
      expect(account).toMatchObject({ public_key: PAYSIM_PUBLIC_KEY, secret_key: PAYSIM_SECRET_KEY })
      const name = new URL(PAYSIM_BASE_URL).hostname
      const endpoints = `/_paysim/accounts/${account?.id}/webhook-endpoints`
      const add = (host: string, url: string) => post(ready, endpoints, host, { url })
      expect(await add(name, 'http://shop:3000/webhooks')).toMatch(/^201 /)
      expect(await add(name, 'http://other:3000/webhooks')).toMatch(/^400 .*--allow-webhooks/)
      expect(await add('other', 'http://shop:3000/webhooks')).toMatch(/^400 .*--allow-host/)
      await stop()
    })
  },
)

/** The answer to a call by this name of the server. */
function post(
  { url, control_token: token }: { url: string; control_token: string },
  path: string,
  host: string,
  body: object,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const { port, hostname } = new URL(url)
    const headers = {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      host: `${host}:${port}`,
    }
    request({ hostname, port, path, method: 'POST', headers }, response => {
      text(response).then(body => resolve(`${response.statusCode} ${body}`), reject)
    })
      .on('error', reject)
      .end(JSON.stringify(body))
  })
}
