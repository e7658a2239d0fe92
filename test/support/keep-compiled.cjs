// A process of the tests requires this first, so that it finds what an earlier one has compiled. From Node 22.1 on,
// bin/paysim.js does so by itself; before that, compiling is a fifth of the work of a start, and the tests start a
// thousand servers.
const { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } = require('node:fs')
const Module = require('node:module')
const { basename, dirname, join } = require('node:path')
const { Script, constants } = require('node:vm')

const FOLDER = join(__dirname, '../../node_modules/.cache/paysim-compiled')
const compiled = []

Module.prototype._compile = function compile(text, filename) {
  const { size, mtimeMs } = statSync(filename)
  const kept = join(FOLDER, `${basename(filename)}-${size}-${mtimeMs}-${process.version}`)
  const script = new Script(Module.wrap(text.replace(/^#!.*/, '')), {
    filename,
    cachedData: read(kept),
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  })
  // It is undefined if nothing was kept, and true if another version of V8 has made it.
  if (script.cachedDataRejected !== false) compiled.push([kept, script])
  const run = script.runInThisContext()
  return run.call(
    this.exports,
    this.exports,
    Module.createRequire(filename),
    this,
    filename,
    dirname(filename),
  )
}

function read(path) {
  try {
    return readFileSync(path)
  } catch {
    return undefined
  }
}

// At the end, when also the functions are compiled that were called.
process.on('exit', () => {
  for (const [kept, script] of compiled) {
    const made = `${kept}-${process.pid}`
    try {
      mkdirSync(FOLDER, { recursive: true })
      writeFileSync(made, script.createCachedData())
      renameSync(made, kept)
    } catch {
      // The disk of a test may be full. The next process compiles it too.
    }
  }
})
