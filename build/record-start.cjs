// Runs commands, and keeps what V8 compiled for them: `node record-start.cjs DIST KIND COMMANDS`, the last as JSON. The
// code is taken after the commands have run, because V8 compiles most functions when they are first called. Files that are
// loaded later, such as for a request, follow when the process ends.
const { mkdirSync, readFileSync, writeFileSync } = require('node:fs')
const { dirname, join } = require('node:path')
const { crc32 } = require('node:zlib')
const { compile, fileOf, loaderFor } = require('../bin/compiled.js')

const ENTRY = 'cli.cjs'
/** V8 copies code that does not begin at a multiple of this. */
const ALIGNED = 8
const aligned = length => Math.ceil(length / ALIGNED) * ALIGNED

const [, , dist, kind, commands] = process.argv
const scripts = new Map()
const load = loaderFor(dist, (name, filename) => {
  const source = readFileSync(filename)
  // V8 keeps no way from such code to Node's loader of modules.
  if (/\bimport\(/.test(source)) return undefined
  // Stacks of Node 20 show the name that is given here, wherever the package is.
  const script = compile(source, `paysim/dist/${name}`)
  scripts.set(name, { source, script })
  return script
})
const compiled = new Map()

record()
process.once('exit', code => code === 0 && write())

async function record() {
  for (const command of JSON.parse(commands)) {
    process.argv = [process.execPath, 'paysim', ...command]
    // The other files stay loaded, so their code is that of all commands.
    delete require.cache[join(dist, ENTRY)]
    await load(ENTRY).finished
    if (process.exitCode) throw new Error(`${command.join(' ')} ended with ${process.exitCode}`)
  }
  write()
  process.stdout.write('recorded\n')
}

function take() {
  for (const [name, { source, script }] of scripts)
    if (!compiled.has(name)) compiled.set(name, { source, code: script.createCachedData() })
}

function write() {
  take()
  const index = []
  const parts = []
  let at = 0
  for (const [name, { source, code }] of compiled) {
    index.push({ name, at, length: code.length, checksum: crc32(code, crc32(source)) })
    const padding = Buffer.alloc(aligned(code.length) - code.length)
    parts.push(code, padding)
    at += code.length + padding.length
  }
  const head = JSON.stringify(index)
  const line = `${head.padEnd(aligned(head.length + 1) - 1)}\n`
  mkdirSync(dirname(fileOf(dist, kind)), { recursive: true })
  writeFileSync(fileOf(dist, kind), Buffer.concat([Buffer.from(line), ...parts]))
}
