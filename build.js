// Bundles the binary, the library and the pages under dist/. With --if-changed, it does so only if something changed.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename } from 'node:path'
import { bundle as bundleStyles } from 'lightningcss'
import { build } from 'rolldown'
import { parse } from 'yaml'
import { answerSchemas } from './build/answer-schemas.js'
import { digestOfInputs, isBuiltFrom, recordBuild } from './build/inputs.js'
import { recordStarts } from './build/record-starts.js'
import { thirdPartyNotices } from './build/third-party.js'

const digest = digestOfInputs()
if (process.argv.includes('--if-changed') && isBuiltFrom(digest)) process.exit()

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
const draft = `dist.${process.pid}`

/**
 * Modules that are always loaded together go into one file each, because opening a file takes longer than reading the
 * code in it. A module includes what it imports, unless a line above has it. The rest is split by who loads it, so that
 * a command loads only what it uses.
 */
const TOGETHER = {
  // What every command needs, and `serve` too.
  commander: [
    'node_modules/commander/',
    ...filesOf('src/cli', [
      'data-file',
      'errors/cli-errors',
      'flag-values',
      'json-line',
      'new-command',
      'store-address',
      'target/run-folder',
    ]),
    'src/engine/start-error.ts',
  ],
  help: filesOf('src/cli', ['help-text']),
  words: filesOf('src/contract', [
    'closest',
    'countries',
    'currencies',
    'durations',
    'errors',
    'event-names',
    'json-depth',
    'limits',
    'retry-after',
    'statuses',
    'timestamps',
    'wire-answer',
  ]),
  qr: ['src/qr/qr-modules.ts'],
  client: filesOf('src/client', [
    'create-client',
    'control-error',
    'transport/connection-error',
    'transport/open-transport',
    'transport/payload',
  ]),
  control: filesOf('src/client', ['control-client']),
  contract: filesOf('src/contract', [
    'error-body',
    'operations',
    'paths',
    'requests',
    'resolve-contract',
    'resources',
    'validation',
    'webhook-signature',
  ]),
  rules: filesOf('src/domain', [
    'catalogue',
    'faults/read-faults',
    'lifecycle',
    'record-timers',
    'rules/read-rules',
  ]),
  call: filesOf('src/cli', [
    'call/merchant-command',
    'call/session',
    'output/printer',
    'output/screen',
    'output/views/payment',
  ]),
  server: ['src/simulator.ts', 'src/package-files.ts'],
  sim: filesOf('src/cli', [
    'control/flags',
    'control/pages',
    'control/row',
    'control/session',
    'commands/sim/inline-yaml',
    'commands/sim/tables',
  ]),
}

function filesOf(folder, files) {
  return files.map(file => `${folder}/${file}.ts`)
}

/** Whether a module is in a folder or a file, with any kind of slashes. */
const isIn = (id, path) => id.replaceAll('\\', '/').includes(`/${path}`)

/** Code for the browser, under dist/web/. */
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
 * Modules of Node that load many others, and that many starts never use: each is loaded when one of its functions is
 * called for the first time.
 */
const LATE = ['node:crypto', 'node:fs/promises', 'node:stream/consumers', 'node:timers/promises']
/** A validator takes a tenth of a start, and most starts validate nothing: the first validation loads it. */
const VALIDATOR = 'ajv'

const substitutes = {
  // Commander needs it only for commands that are separate programs, and paysim has none.
  'node:child_process': { instead: 'export {}', isFor: importer => importer.includes('commander') },
  [VALIDATOR]: {
    instead: `export function Ajv(...options) {
      const { Ajv } = require('./${VALIDATOR}.cjs')
      return new Ajv(...options)
    }`,
    isFor: () => true,
  },
}
for (const name of LATE)
  substitutes[name] = {
    instead: lateModule(name, await import(name)),
    // Packages, the runtime of the bundler, and code that requires it inside a function get the original module.
    isFor: (importer, kind) => !/^\0|node_modules/.test(importer) && kind !== 'require-call',
  }

const substitute = {
  name: 'substitute',
  resolveId: (id, importer, { kind }) => (substitutes[id]?.isFor(importer, kind) ? `\0${id}` : null),
  load: id => substitutes[id.slice(1)]?.instead ?? null,
  // If any `import()` is left, Node loads its whole loader of ECMAScript modules.
  transform: code =>
    code.replace(/\bimport\(('node:[\w/]+')\)/g, 'Promise.resolve(process.getBuiltinModule($1))'),
}

function lateModule(name, all) {
  const isFunction = each => typeof all[each] === 'function' && /^[a-z]/.test(each)
  return [
    `let it; const late = () => it ??= process.getBuiltinModule('${name}')`,
    ...Object.keys(all)
      .filter(each => /^(?!default$)\w+$/.test(each))
      .map(each =>
        isFunction(each)
          ? `export const ${each} = (...given) => late().${each}(...given)`
          : `export const ${each} = /* @__PURE__ */ (() => late().${each})()`,
      ),
  ].join('\n')
}

/** A text with one character of another script takes twice the memory, and longer to read. */
const ascii = {
  name: 'ascii',
  generateBundle(_, files) {
    for (const file of Object.values(files))
      if (file.type === 'chunk' && !file.code.includes('String.raw'))
        file.code = file.code.replace(/(\\*)([^\0-\x7f])/g, escaped)
  },
}

/** A backslash before a character that needs none is left out. */
function escaped(_, { length }, unit) {
  return `${'\\'.repeat(length - (length % 2))}\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/** Keeps the names for readable stack traces. */
const READABLE = { compress: true, mangle: false, codegen: true }

const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc')
// `npm run check:types` has checked them, which takes twice as long as to write them.
const types = ['-p', 'tsconfig.types.json', '--noCheck', '--outDir', `${draft}/types`]
const typing = once(spawn(process.execPath, [tsc, ...types], { stdio: 'inherit' }), 'exit')

const names = extension => ({
  entryFileNames: `[name].${extension}`,
  chunkFileNames: `[name]-[hash].${extension}`,
})

/** The source of the code of each bundle. */
const bundled = []
const note = built => {
  bundled.push(...built.output.flatMap(({ moduleIds = [] }) => moduleIds))
  return built
}

// The bundles are CommonJS, with which a whole command takes a tenth less processor time.
const { output } = note(
  await build({
    input: { cli: 'src/cli/main.ts', index: 'src/index.ts' },
    platform: 'node',
    plugins: [answerSchemas, substitute, ascii],
    external: [`./${VALIDATOR}.cjs`],
    makeAbsoluteExternalsRelative: false,
    transform: { target: 'node20.17', define: { PAYSIM_VERSION: JSON.stringify(version) } },
    // Some modules are loaded late in one place and at once in another on purpose.
    checks: { ineffectiveDynamicImport: false },
    output: {
      ...names('cjs'),
      format: 'cjs',
      dir: draft,
      codeSplitting: {
        groups: Object.entries(TOGETHER).map(([name, paths], place, { length }) => ({
          name,
          test: id => paths.some(path => isIn(id, path)),
          priority: length - place,
        })),
      },
      minify: READABLE,
      comments: { legal: false },
    },
  }),
)

note(
  await build({
    input: { [VALIDATOR]: 'ajv' },
    platform: 'node',
    transform: { target: 'node20.17' },
    output: {
      format: 'cjs',
      entryFileNames: '[name].cjs',
      dir: draft,
      minify: READABLE,
      comments: { legal: false },
    },
  }),
)

const { exports } = output.find(({ name }) => name === 'index')
writeFileSync(
  `${draft}/index.js`,
  `import library from './index.cjs'\n\nexport const { ${exports.join(', ')} } = library\n`,
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
      output: { ...names('js'), dir: to, minify: true, comments: { legal: false } },
    }),
  )
  writeFileSync(`${to}/style.css`, bundleStyles({ filename: style, minify: true }).code)
  for (const file of files) copyFileSync(file, `${to}/${basename(file)}`)
}

writeFileSync(`${draft}/third-party-licences.txt`, thirdPartyNotices(bundled))

// The default rules are read here once, so that a start does not load a YAML parser.
const standard = parse(readFileSync('scenarios/default.yaml', 'utf8'))
writeFileSync(`${draft}/standard-rules.json`, JSON.stringify({ rules: standard.provider }))

const [exitCode] = await typing
if (exitCode !== 0) fail()

// Anyone who runs the binary meanwhile finds the old bundle or the new one, never a partial one.
const old = `${draft}.old`
if (existsSync('dist')) renameSync('dist', old)
renameSync(draft, 'dist')
rmSync(old, { recursive: true, force: true })

// The binary reads its files from dist/. Until they are there, a start compiles everything.
await recordStarts('dist').catch(({ message }) =>
  console.warn(`nothing is compiled for the first start, which takes longer: ${message}`),
)
recordBuild(digest)

function fail(why) {
  if (why !== undefined) console.error(why)
  rmSync(draft, { recursive: true, force: true })
  process.exit(1)
}
