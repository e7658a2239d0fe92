// `npm run walks`: through how many files of src/ a call goes. With --files it names them, with --only NAME it makes one
// walk, and with --write it writes docs/walks.md.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from 'rolldown'
import { answerSchemas } from '../../build/answer-schemas.js'
import { walksPage } from './page.js'

const root = fileURLToPath(new URL('../..', import.meta.url))
const walker = fileURLToPath(new URL('walker.js', import.meta.url))

/** In the order of the page. Each is walked in a process of its own. */
const WALKS = {
  'a POST of a payment': 'from its socket until its answer, which waits for the disk',
  'a webhook': 'from the command to deliver it until its result is recorded',
  'a row of the dashboard': 'a window of the list of payments; the code in the browser is not counted',
  '`payments create`': 'from the arguments to its output, without the server',
  'a step `advance`': 'of a scenario, without the server',
  'a try of `explore`': 'of a scenario of three steps, without the server',
}

const { values: options } = parseArgs({
  options: { write: { type: 'boolean' }, files: { type: 'boolean' }, only: { type: 'string' } },
})

/** One module for each file of src/, so that V8 says of which file a function is. */
async function buildFileByFile(folder) {
  await build({
    platform: 'node',
    cwd: root,
    input: ['src/cli/main.ts', 'src/index.ts'],
    // Nothing is left out because only a test calls it.
    treeshake: false,
    transform: { target: 'node20.19', define: { PAYSIM_VERSION: JSON.stringify('0.0.0') } },
    plugins: [answerSchemas],
    external: [/^[^./\0]/],
    checks: { ineffectiveDynamicImport: false },
    output: {
      dir: join(folder, 'src'),
      format: 'esm',
      preserveModules: true,
      preserveModulesRoot: 'src',
      entryFileNames: '[name].js',
    },
  })
  // Where a package has its files.
  for (const name of ['package.json', 'dist', 'fixtures', 'scenarios'])
    if (existsSync(join(root, name))) symlinkSync(join(root, name), join(folder, name))
}

/** The files of one walk, as the process that walked it tells them. */
async function walk(name, folder, server) {
  const data = mkdtempSync(join(tmpdir(), 'paysim-walk-'))
  const child = fork(walker, [name, folder, JSON.stringify(server)], {
    cwd: data,
    env: { ...process.env, HOME: data, XDG_CONFIG_HOME: data, NO_COLOR: '1' },
  })
  const [[files], [code]] = await Promise.all([
    Promise.race([once(child, 'message'), once(child, 'exit').then(() => [undefined])]),
    once(child, 'exit'),
  ])
  rmSync(data, { recursive: true, force: true })
  if (code !== 0 || !files) throw new Error(`the walk of ${name} ended with ${code}`)
  return files
}

// Below the root, because there the packages are found.
const folder = join(root, `dist.walks.${process.pid}`)
mkdirSync(folder)
try {
  await buildFileByFile(folder)
  const { Simulator } = await import(pathToFileURL(join(folder, 'src/simulator.js')).href)
  const simulator = await Simulator.start({ dataDir: null, port: 0, clock: 'virtual' })
  const walks = []
  for (const [name, what] of Object.entries(WALKS)) {
    if (options.only && !name.includes(options.only)) continue
    const files = await walk(name, folder, simulator.facts())
    walks.push({ name, what, files })
    console.log(`${String(files.length).padStart(4)} files  ${name}: ${what}`)
    if (options.files) for (const file of files) console.log(`            ${file}`)
  }
  await simulator.stop()
  if (options.write) writeFileSync(join(root, 'docs/walks.md'), walksPage(walks))
} finally {
  rmSync(folder, { recursive: true, force: true })
}
