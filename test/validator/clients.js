// npm run clients: clients that generators make of both OpenAPI documents create, choose, cancel and upload.
//
//   paysim serve ──▶ documents ──▶ generators ──▶ clients, unchanged ──▶ paysim serve
//
// The programs in clients/ are compiled strictly against what was generated, and run.
import { execFile } from 'node:child_process'
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { rolldown } from 'rolldown'
import { fetchPackages } from './fetch-packages.js'
import { askControl, servePaysim } from './serve.js'

/** Some of them need Node 22.18. */
const GENERATORS = [
  'openapi-typescript@7.13.0',
  'openapi-fetch@0.17.0',
  '@hey-api/openapi-ts@0.99.0',
  'orval@8.38.0',
  // What they ask for has no upper limit.
  'typescript@5.9.3',
]
const PROGRAMS = ['openapi-fetch', 'hey-api', 'orval']
const DOCUMENTS = { merchant: '/openapi.json', control: '/control.json' }

const here = path => fileURLToPath(new URL(path, import.meta.url))

const GENERATE = {
  openapiTypescript: async () => {
    for (const name of Object.keys(DOCUMENTS))
      await tool('openapi-typescript', `${name}.json`, '-o', `openapi-typescript/${name}.ts`)
  },
  heyApi: async () => {
    for (const name of Object.keys(DOCUMENTS))
      await tool('openapi-ts', '-i', `${name}.json`, '-o', `hey-api/${name}`, '-c', '@hey-api/client-fetch')
  },
  orval: () => tool('orval', '--config', 'orval.config.mjs'),
}

const [major, minor] = process.versions.node.split('.').map(Number)
if (major < 22 || (major === 22 && minor < 18)) {
  console.error(`the generators need Node 22.18 or later, not ${process.version}`)
  process.exit(2)
}
const ends = []
const work = await mkdtemp(join(tmpdir(), 'paysim-clients-'))
ends.push(() => rm(work, { recursive: true, force: true }))
try {
  process.exitCode = (await tryClients()) ? 0 : 1
} finally {
  for (const end of ends.reverse()) await end()
}

async function tryClients() {
  const tools = process.env.PAYSIM_CLIENTS || join(tmpdir(), 'paysim-clients-tools')
  await fetchPackages(tools, GENERATORS)
  const server = await servePaysim('--clock', 'virtual')
  ends.push(server.stop)
  for (const [name, path] of Object.entries(DOCUMENTS))
    await writeFile(join(work, `${name}.json`), JSON.stringify(await askControl(server, 'GET', path)))
  await symlink(join(tools, 'node_modules'), join(work, 'node_modules'), 'junction')
  await cp(here('clients'), work, { recursive: true })
  const failures = []
  await Promise.all(Object.values(GENERATE).map(generate => generate()))
  try {
    await run(
      here('../../node_modules/typescript/bin/tsc'),
      '-p',
      work,
      '--typeRoots',
      here('../../node_modules/@types'),
    )
    console.log('all of it compiles with `strict`')
  } catch ({ stdout }) {
    failures.push(`it does not compile:\n${stdout}`)
  }
  const simulator = await simulatorOf(server)
  for (const name of PROGRAMS) {
    try {
      await (await bundled(name)).run(simulator)
      console.log(`${name}: created, chose, cancelled and uploaded`)
    } catch (cause) {
      failures.push(`${name}: ${cause.stack}`)
    }
  }
  for (const failure of failures) console.log(`FAILED: ${failure}`)
  return failures.length === 0
}

function tool(name, ...args) {
  return run(join(work, 'node_modules/.bin', name), ...args)
}

/** In the folder of this run, by this Node. */
function run(command, ...args) {
  return promisify(execFile)(process.execPath, [command, ...args], { cwd: work })
}

async function bundled(name) {
  const bundle = await rolldown({ input: join(work, `${name}.ts`), platform: 'node', cwd: work })
  const file = join(work, `${name}.mjs`)
  await bundle.write({ file, format: 'esm' })
  return import(pathToFileURL(file))
}

async function simulatorOf(server) {
  const { accounts } = await askControl(server, 'POST', '/merchants', { clock: { mode: 'virtual' } })
  const [{ id: account, public_key: publicKey, secret_key: secretKey }] = accounts
  const { url, control_url: controlUrl, control_token: token } = server
  const slip = new Blob([await readFile(here('../../scenarios/receipts/slip.png'))], { type: 'image/png' })
  return { url, controlUrl, token, account, publicKey, secretKey, slip }
}
