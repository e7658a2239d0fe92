// The first script of the executable file. Node can only `require` what is built in there, so this loads the scripts of the
// package from the assets that build/binary.js put in, as if the file were the folder that they are in.
const { getAsset, getAssetKeys, getRawAsset } = require('node:sea')
const { posix } = require('node:path')
const { Script, constants } = require('node:vm')

const cached = new Set(getAssetKeys().filter(name => name.endsWith('.cache')))
const modules = new Map()

function load(name) {
  const known = modules.get(name)
  if (known) return known.exports
  const module = { exports: {} }
  modules.set(name, module)
  if (name.endsWith('.json')) module.exports = JSON.parse(getAsset(name, 'utf8'))
  else run(module, name)
  return module.exports
}

/** Each script is a function already, so that the code that V8 made of it at the build fits. */
function run(module, name) {
  const filename = posix.join(process.execPath, name)
  const script = new Script(getAsset(name, 'utf8'), {
    filename,
    cachedData: cached.has(`${name}.cache`) ? Buffer.from(getRawAsset(`${name}.cache`)) : undefined,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER,
  })
  const requireFrom = id => (id.startsWith('.') ? load(posix.join(name, '..', id)) : require(id))
  script.runInThisContext()(module.exports, requireFrom, module, filename, posix.dirname(filename))
}

load('bin/paysim.js')
