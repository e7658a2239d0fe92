// Bundles the binary, the library and the pages under dist/. With --if-changed, it does so only if something changed.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { basename, resolve } from 'node:path'
import { bundle as bundleStyles } from 'lightningcss'
import { build } from 'rolldown'
import { parse } from 'yaml'
import { answerSchemas } from './build/answer-schemas.js'
import { sharedByStarts } from './build/chunks.js'
import { digestOfInputs, isBuiltFrom, recordBuild } from './build/inputs.js'
import { thirdPartyNotices } from './build/third-party.js'

const digest = digestOfInputs()
if (process.argv.includes('--if-changed') && isBuiltFrom(digest)) process.exit()

const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
const draft = `dist.${process.pid}`

const tsc = createRequire(import.meta.url).resolve('typescript/bin/tsc')
// `npm run check:types` has checked them, which takes twice as long as to write them.
const types = ['-p', 'tsconfig.types.json', '--noCheck', '--outDir', `${draft}/types`]
const typing = once(spawn(process.execPath, [tsc, ...types], { stdio: 'inherit' }), 'exit')

const names = extension => ({
  entryFileNames: `[name].${extension}`,
  chunkFileNames: `[name]-[hash].${extension}`,
})

// A command loads only what it uses, because whatever is imported late has files of its own. The bundle is CommonJS,
// with which Node starts in less time.
const REAL_TIMERS = resolve('src/real-timers.ts')
const timer = name => [name, [REAL_TIMERS, name]]
const forNode = {
  platform: 'node',
  transform: {
    target: 'node20.19',
    define: { PAYSIM_VERSION: JSON.stringify(version) },
    // Fake timers of a test must not stop the simulator.
    inject: {
      ...Object.fromEntries(
        ['Timeout', 'Interval', 'Immediate'].flatMap(kind => [timer(`set${kind}`), timer(`clear${kind}`)]),
      ),
      Date: [REAL_TIMERS, 'Date'],
      'performance.now': [REAL_TIMERS, 'performanceNow'],
    },
  },
}
const output = {
  ...names('cjs'),
  format: 'cjs',
  dynamicImportInCjs: false,
  dir: draft,
  // Stack traces keep their names.
  minify: { compress: true, mangle: false, codegen: true },
  comments: { legal: false },
}
// The first image and the first position in a YAML text require these from files of their own.
const LATE = ['qr', 'yaml']
const program = await build({
  ...forNode,
  input: { cli: 'src/cli/main.ts', index: 'src/index.ts' },
  plugins: [answerSchemas],
  external: LATE,
  // Some modules are loaded late in one place and at once in another on purpose.
  checks: { ineffectiveDynamicImport: false },
  output: {
    ...output,
    codeSplitting: sharedByStarts,
    paths: name => (LATE.includes(name) ? `./${name}.cjs` : name),
  },
})
const late = await build({
  ...forNode,
  input: Object.fromEntries(LATE.map(name => [name, name])),
  output: { ...output, exports: 'named' },
})
const { exports } = program.output.find(({ name }) => name === 'index')
writeFileSync(
  `${draft}/index.js`,
  `import library from './index.cjs'\n\nexport const { ${exports.join(', ')} } = library\n`,
)
// The types are those of the CommonJS file, which both kinds of projects can read; those of the ES module pass them on.
writeFileSync(`${draft}/index.d.ts`, `export * from './types/index.js'\n`)
mkdirSync(`${draft}/types`, { recursive: true })
writeFileSync(`${draft}/types/package.json`, '{ "type": "commonjs" }\n')

const checkout = await page('checkout', 'main.ts', 'style.css', ['icon.svg'])
const dashboard = await page('dashboard', 'main.tsx', 'style/index.css', ['index.html', 'icon.svg'])

const report = await page('report', 'main.tsx', 'style.css', ['index.html'])

const bundled = [program, late, checkout, dashboard, report].flatMap(({ output }) => output)
writeFileSync(
  `${draft}/third-party-licences.txt`,
  thirdPartyNotices(bundled.flatMap(({ moduleIds = [] }) => moduleIds)),
)

// What `paysim client` prints is made from these.
cpSync('src/cli/clients', `${draft}/clients`, { recursive: true, filter: name => !name.endsWith('.ts') })

// The default rules are read here once, so that a start does not load a YAML parser.
const standard = parse(readFileSync('scenarios/default.yaml', 'utf8'))
writeFileSync(`${draft}/standard-rules.json`, JSON.stringify({ rules: standard.provider }))

const [exitCode] = await typing
if (exitCode !== 0) {
  rmSync(draft, { recursive: true, force: true })
  process.exit(1)
}

// Anyone who runs the binary meanwhile finds the old bundle or the new one, never a partial one.
const old = `${draft}.old`
if (existsSync('dist')) renameSync('dist', old)
renameSync(draft, 'dist')
rmSync(old, { recursive: true, force: true })
recordBuild(digest)

/** Code for the browser, under dist/web/. */
async function page(name, script, style, files) {
  const [from, to] = [`src/web/${name}`, `${draft}/web/${name}`]
  const built = await build({
    input: { main: `${from}/${script}` },
    platform: 'browser',
    transform: { target: 'es2022' },
    output: { ...names('js'), dir: to, minify: true, comments: { legal: false } },
  })
  writeFileSync(`${to}/style.css`, bundleStyles({ filename: `${from}/${style}`, minify: true }).code)
  for (const file of files) copyFileSync(`${from}/${file}`, `${to}/${basename(file)}`)
  return built
}
