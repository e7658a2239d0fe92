// Loads the bundle with what V8 compiled when the package was built, so that a start compiles almost nothing.
//
// V8 refuses what another V8 compiled, or the same one with other flags. But it compares only the length of the source,
// and it crashes on damaged code: so a checksum of both is compared here first. Whatever is missing, damaged or refused
// is compiled again, which only takes longer.
const { readFileSync } = require('node:fs')
const { join } = require('node:path')
const { Script } = require('node:vm')
const { crc32 } = require('node:zlib')

const Module = module.constructor
const HEAD = '(function (exports, require, module, __filename, __dirname) { '
const TAIL = '\n})'

/** What was compiled for one kind of start, for exactly this Node. */
const fileOf = (dist, kind) =>
  join(dist, 'compiled', `${kind}-${process.version}-${process.platform}-${process.arch}`)

/** The code of each file of the bundle by its name, as `build/record-start.cjs` wrote it. */
function read(dist, kind) {
  try {
    const bytes = readFileSync(fileOf(dist, kind))
    const start = bytes.indexOf('\n') + 1
    const index = JSON.parse(bytes.toString('utf8', 0, start))
    return new Map(
      index.map(({ name, at, length, checksum }) => {
        const code = bytes.subarray(start + at, start + at + length)
        return [name, source => (crc32(code, crc32(source)) === checksum ? code : undefined)]
      }),
    )
  } catch {
    return undefined
  }
}

/** Compiles a file of the bundle as Node does, from code if there is any. A stack has the place in the file. */
const compile = (source, filename, cachedData) =>
  new Script(HEAD + source.toString('utf8') + TAIL, { filename, columnOffset: -HEAD.length, cachedData })

/** The script of a file that was compiled when the package was built. */
function compiledScript(compiled, name, filename) {
  const codeFor = compiled.get(name)
  if (codeFor === undefined) return undefined
  // It is not needed again, and the last one that goes frees the memory of all.
  compiled.delete(name)
  const source = readFileSync(filename)
  const code = codeFor(source)
  return code && compile(source, filename, code)
}

/**
 * Returns the function that loads a file of the bundle, and in the same way all that the file requires. What has no
 * script is loaded by Node.
 */
function loaderFor(dist, scriptOf) {
  return function load(name) {
    const filename = join(dist, name)
    const known = require.cache[filename]
    if (known !== undefined) return known.exports
    const one = Object.assign(new Module(filename, module), { filename, paths: module.paths })
    one.require = id => (id.startsWith('./') ? load(id.slice(2)) : Module.prototype.require.call(one, id))
    require.cache[filename] = one
    try {
      const script = scriptOf(name, filename)
      if (script === undefined) one.load(filename)
      else run(script, one)
    } catch (error) {
      delete require.cache[filename]
      throw error
    }
    return one.exports
  }

  function run(script, one) {
    const { exports, filename } = one
    script.runInThisContext().call(exports, exports, one.require, one, filename, dist)
    one.loaded = true
  }
}

module.exports = { compile, compiledScript, fileOf, loaderFor, read }
