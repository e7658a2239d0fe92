// Makes the executable files of dist/binary/: Node as it is published, with the files of the package inside.
// `npm run build:binary -- linux-x64` makes only this one.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { softwareBills } from './sbom.js'

/** The long-term Node that is inside, from npm, with the digest of each package: what is published once is never another. */
const NODE = '26.10.0'
const TARGETS = {
  'linux-x64': {
    integrity:
      'sha512-OmAztarr1gK4PD+sNyoku4N5Q40d8eqMuLjNa/zRvxF33aCsVKVIQLs4V5HYPWSWWlMiTdkmbZE/6Phigma0hw==',
    binutils: 'x86_64-linux-gnu',
  },
  'linux-arm64': {
    integrity:
      'sha512-idArV/cmqW9M9ODyGlbOIiyxFourDh1mJB0SdKCdMbSZjjef9CLEN3o1/eE4yf+B0+5BD+F74MpTTHiB3XXTBQ==',
    binutils: 'aarch64-linux-gnu',
  },
  // It has no symbols to strip.
  'win-x64': {
    integrity:
      'sha512-GCIKoDIOUTgULKxFNlfumjEmEgIpBB/7csJ11w6WbFcC/dyZ9UH2YAFr1fuNsdEmPZOAVpT2Cv9QKPwluhOCIQ==',
    extension: '.exe',
  },
}
const HOST = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
const FOLDER = 'dist/binary'

const wanted = process.argv.length > 2 ? process.argv.slice(2) : Object.keys(TARGETS)
for (const target of [HOST, ...wanted])
  if (!TARGETS[target])
    throw new Error(`no Node is known for ${target}: known are ${Object.keys(TARGETS).join(', ')}`)

const work = mkdtempSync(join(tmpdir(), 'paysim-binary-'))
try {
  rmSync(FOLDER, { recursive: true, force: true })
  mkdirSync(FOLDER, { recursive: true })
  const builder = nodeOf(HOST)
  const assets = packageAssets()
  for (const target of wanted) build(target, assets, builder.executable)
  writeFileSync(`${FOLDER}/licences.txt`, licences(nodeOf('linux-x64')))
  for (const [name, bill] of Object.entries(softwareBills(npm, wanted.map(nodeOf))))
    writeFileSync(`${FOLDER}/${name}.cdx.json`, `${JSON.stringify(bill, null, 2)}\n`)
  writeFileSync(`${FOLDER}/SHA256SUMS`, sums())
} finally {
  rmSync(work, { recursive: true, force: true })
}

function build(target, assets, builder) {
  const { binutils, extension = '' } = TARGETS[target]
  const bare = join(work, target)
  copyFileSync(nodeOf(target).executable, bare)
  chmodSync(bare, 0o755)
  if (binutils) strip(bare, binutils)
  else removeSignature(bare)
  const output = `${FOLDER}/paysim-${target}${extension}`
  const config = join(work, `${target}.json`)
  const settings = {
    main: 'build/binary-entry.cjs',
    executable: bare,
    output,
    disableExperimentalSEAWarning: true,
  }
  // V8 takes no code that it made for another processor.
  const cache = target === HOST ? codeCache(builder, assets) : {}
  writeFileSync(config, JSON.stringify({ ...settings, assets: { ...assets, ...cache } }))
  execFileSync(builder, ['--build-sea', config], { stdio: ['ignore', 'ignore', 'inherit'] })
  chmodSync(output, 0o755)
}

/** The Node of npm, in node_modules/.cache/: 40 MB are fetched once. */
function nodeOf(target) {
  const { integrity, extension = '' } = TARGETS[target]
  const name = `node-${target}`
  const prefix = `node_modules/.cache/paysim/${name}-${NODE}`
  const folder = `${prefix}/node_modules/${name}`
  const record = () => JSON.parse(readFileSync(`${prefix}/node_modules/.package-lock.json`, 'utf8'))
  try {
    record()
  } catch {
    // By force, because it is for another platform.
    npm(
      'install',
      '--no-save',
      '--ignore-scripts',
      '--force',
      '--loglevel=error',
      '--prefix',
      prefix,
      `${name}@${NODE}`,
    )
  }
  if (record().packages[`node_modules/${name}`].integrity !== integrity)
    throw new Error(`${name} ${NODE} has another digest than build/binary.js names`)
  return { name, version: NODE, integrity, folder, executable: `${folder}/bin/node${extension}` }
}

/** Symbols are a fifth of it. What is embedded must be last, so this comes before. */
function strip(file, binutils) {
  for (const command of [`${binutils}-strip`, 'llvm-strip'])
    try {
      return execFileSync(command, [file])
    } catch (cause) {
      if (cause.code !== 'ENOENT') throw cause
    }
  throw new Error(`there is no ${binutils}-strip: install binutils-${binutils.replace('_', '-')}, or llvm`)
}

/** The one of Node at the end of a Windows executable, which fits no other file. The header names it. */
function removeSignature(file) {
  const bytes = readFileSync(file)
  const entry = bytes.readUInt32LE(0x3c) + 24 + 112 + 4 * 8
  const begin = bytes.readUInt32LE(entry)
  if (begin === 0) return
  bytes.fill(0, entry, entry + 8)
  writeFileSync(file, bytes.subarray(0, begin))
}

/** What the package has, except what is for who imports or reads it. Each script becomes a function, as `require` makes it. */
function packageAssets() {
  const [{ files }] = Object.values(JSON.parse(npm('pack', '--dry-run', '--json', '--ignore-scripts')))
  const names = files.map(({ path }) => path)
  const needed = names.filter(name => !/^dist\/(types\/|index\.)|^docs\/images\/|^README/.test(name))
  return Object.fromEntries(
    needed.map(name => [name, /^(bin|dist)\/[^/]*\.c?js$/.test(name) ? asFunction(name) : name]),
  )
}

function asFunction(name) {
  const file = join(work, name.replaceAll('/', '-'))
  const text = readFileSync(name, 'utf8').replace(/^#!.*/, '')
  writeFileSync(file, `(function (exports, require, module, __filename, __dirname) {${text}\n})`)
  return file
}

/** So that a start need not compile them. */
function codeCache(node, assets) {
  const scripts = Object.entries(assets).filter(([, file]) => file.startsWith(work))
  const code = `for (const file of process.argv.slice(1)) {
    const script = new (require('node:vm').Script)(require('node:fs').readFileSync(file, 'utf8'))
    require('node:fs').writeFileSync(file + '.cache', script.createCachedData())
  }`
  execFileSync(node, ['-e', code, ...scripts.map(([, file]) => file)])
  return Object.fromEntries(scripts.map(([name, file]) => [`${name}.cache`, `${file}.cache`]))
}

/** The package for Windows has none of Node's, which are the same. */
function licences({ folder }) {
  const texts = ['LICENSE', 'dist/third-party-licences.txt', `${folder}/LICENSE`].map(name =>
    readFileSync(name, 'utf8'),
  )
  return texts.join(`\n\n${'='.repeat(80)}\n\n`)
}

function sums() {
  const lineOf = name =>
    `${createHash('sha256')
      .update(readFileSync(`${FOLDER}/${name}`))
      .digest('hex')}  ${name}\n`
  return readdirSync(FOLDER).sort().map(lineOf).join('')
}

/** npm says where it is to the scripts that it runs. */
function npm(...args) {
  return execFileSync(process.execPath, [process.env.npm_execpath, ...args], {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'inherit'],
  })
}
