// Bundles the binary, the library and the pages under dist/.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename } from 'node:path'
import { bundle as bundleStyles } from 'lightningcss'
import { build } from 'rolldown'
import { parse } from 'yaml'
import { thirdPartyNotices } from './build/third-party.js'

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
const draft = `dist.${process.pid}`

/**
 * What is always loaded together, each in one file: to open a file takes longer than to read the code in it. A module
 * takes along what it imports, unless a line above has it. All else is split by who loads it, so that a command loads
 * only what it uses.
 */
const TOGETHER = {
  commander: ['node_modules/commander/'],
  words: filesOf('src/contract', [
    'closest',
    'countries',
    'currencies',
    'durations',
    'errors',
    'event-names',
    'limits',
    'statuses',
    'timestamps',
  ]),
  client: filesOf('src/client', [
    'create-client',
    'control-error',
    'transport/connection-error',
    'transport/flat-headers',
    'transport/open-transport',
    'transport/payload',
  ]),
  control: filesOf('src/client', ['control-client']),
  call: filesOf('src/cli', [
    'call/merchant-command',
    'call/session',
    'output/printer',
    'output/screen',
    'output/views/payment',
  ]),
  sim: filesOf('src/cli', [
    'control/flags',
    'control/pages',
    'control/session',
    'commands/sim/account-time',
    'commands/sim/inline-yaml',
    'commands/sim/tables',
  ]),
}

function filesOf(folder, files) {
  return files.map(file => `${folder}/${file}.ts`)
}

/** Whether a module is in a folder or a file, whatever slashes the bundler uses. */
const isIn = (id, path) => id.replaceAll('\\', '/').includes(`/${path}`)

/** What runs in a browser, under dist/web/. */
const PAGES = [
  {
    script: 'src/web/checkout/main.ts',
    style: 'src/web/checkout/style.css',
    files: ['src/web/checkout/icon.svg'],
    to: `${draft}/web/checkout`,
  },
  {
    script: 'src/web/dashboard/main.tsx',
    style: 'src/web/dashboard/style/index.css',
    files: ['src/web/dashboard/index.html', 'src/web/dashboard/icon.svg'],
    to: `${draft}/web/dashboard`,
  },
]

/**
 * To import a module of Node, as `import { createHash } from 'node:crypto'`, Node reads all its exports, and so loads
 * what stands behind the rarest of them, WebCrypto and the standard input too: an eighth of a start.
 */
const builtins = {
  name: 'builtins',
  resolveId(id, importer, { kind }) {
    // The bundler's own few lines load one, which has nothing behind it.
    if (!id.startsWith('node:') || importer.startsWith('\0')) return null
    // For commands that are programs of their own, of which there are none here.
    if (id === 'node:child_process' && importer.includes('commander')) return '\0nothing'
    // One for each importer, which so keeps it in its own file.
    return kind === 'require-call' ? null : `\0${id}\0${importer}`
  },
  async load(id) {
    const [before, builtin] = id.split('\0')
    if (before !== '') return null
    if (builtin === 'nothing') return 'export {}'
    if (!builtin.startsWith('node:')) return null
    const exported = Object.keys(await import(builtin)).filter(name => /^(?!default$)\w+$/.test(name))
    return [
      `const it = process.getBuiltinModule('${builtin}')`,
      'export default it',
      ...exported.map(name => `export const ${name} = /* @__PURE__ */ (() => it.${name})()`),
    ].join('\n')
  },
}

const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc')
const types = ['-p', 'tsconfig.types.json', '--outDir', `${draft}/types`]
const typing = once(spawn(process.execPath, [tsc, ...types], { stdio: 'inherit' }), 'exit')

const names = { format: 'esm', entryFileNames: '[name].js', chunkFileNames: '[name]-[hash].js' }

/** Where the code of each bundle comes from. */
const bundled = []
const note = ({ output }) => bundled.push(...output.flatMap(({ moduleIds = [] }) => moduleIds))

note(
  await build({
    input: { cli: 'src/cli/main.ts', index: 'src/index.ts' },
    platform: 'node',
    plugins: [builtins],
    transform: { target: 'node20.17', define: { PAYSIM_VERSION: JSON.stringify(version) } },
    // That something is loaded late here and at once elsewhere is meant.
    checks: { ineffectiveDynamicImport: false },
    output: {
      ...names,
      dir: draft,
      codeSplitting: {
        groups: Object.entries(TOGETHER).map(([name, paths], place, { length }) => ({
          name,
          test: id => paths.some(path => isIn(id, path)),
          priority: length - place,
        })),
      },
      // Names stay, for whoever reads a stack.
      minify: { compress: true, mangle: false, codegen: true },
      comments: { legal: false },
    },
  }),
)

const lost = Object.values(TOGETHER)
  .flat()
  .filter(path => !bundled.some(id => isIn(id, path)))
if (lost.length > 0) fail(`TOGETHER in build.js names what is not in the bundle: ${lost.join(', ')}`)

for (const { script, style, files, to } of PAGES) {
  note(
    await build({
      input: { main: script },
      platform: 'browser',
      transform: { target: 'es2022' },
      output: { ...names, dir: to, minify: true, comments: { legal: false } },
    }),
  )
  writeFileSync(`${to}/style.css`, bundleStyles({ filename: style, minify: true }).code)
  for (const file of files) copyFileSync(file, `${to}/${basename(file)}`)
}

writeFileSync(`${draft}/third-party-licences.txt`, thirdPartyNotices(bundled))

// A start should not pay for a YAML parser: the standard rules are read here, once.
const standard = parse(readFileSync('scenarios/default.yaml', 'utf8'))
writeFileSync(`${draft}/standard-rules.json`, JSON.stringify({ rules: standard.provider }))

const [fault] = await typing
if (fault !== 0) fail()

// Whoever runs the binary meanwhile finds the old bundle or the new one, and never half of one.
const old = `${draft}.old`
if (existsSync('dist')) renameSync('dist', old)
renameSync(draft, 'dist')
rmSync(old, { recursive: true, force: true })

function fail(why) {
  if (why !== undefined) console.error(why)
  rmSync(draft, { recursive: true, force: true })
  process.exit(1)
}
