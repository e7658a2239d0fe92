import { readdirSync } from 'node:fs'
import { join, resolve } from 'node:path'

const BASE = ['src/cli/main.ts', 'src/cli/commands.ts']
const SERVE = 'src/cli/commands/serve.ts'
const CALL = 'src/cli/commands/payments.ts'
/** Those that read what the server writes, or start one, have the server's modules in any case. */
const OF_A_SERVER = [SERVE, 'src/cli/commands/store.ts', 'src/cli/commands/exec.ts']
const others = name => ![CALL, ...OF_A_SERVER].includes(name)

/** What each of the usual starts loads at once. The other commands count as one. */
const STARTS = {
  help: [...BASE, 'src/cli/help.ts'],
  serve: [...BASE, SERVE],
  call: [...BASE, CALL],
  library: ['src/index.ts'],
  others: ['src/cli/commands', 'src/cli/errors', 'src/cli/where'].flatMap(filesIn).filter(others),
}

/**
 * Modules that the same starts load are in one file. Otherwise each set of modules that the same commands share has its
 * own, and a start spends a tenth of its time on finding and opening 50 small files.
 */
export const sharedByStarts = {
  // What more starts share is taken first, so that no file takes a module of another one along.
  groups: Object.keys(STARTS).map((_, at) => ({
    debugName: `shared by ${at + 1}`,
    priority: at,
    name(id, bundle) {
      if (bundle.getModuleInfo(id)?.isEntry) return null
      const starts = Object.keys(STARTS).filter(start => modulesOf(start, bundle).has(id))
      const isUsual = starts.some(start => start !== 'library' && start !== 'others')
      return isUsual && starts.length === at + 1 ? starts.join('-') : null
    },
  })),
}

function filesIn(folder) {
  const entries = readdirSync(folder, { recursive: true })
  return entries.filter(name => name.endsWith('.ts')).map(name => join(folder, name))
}

const known = new Map()

/** All modules that a start loads before it does anything. */
function modulesOf(start, bundle) {
  let modules = known.get(start)
  if (modules) return modules
  modules = new Set(STARTS[start].map(name => resolve(name)))
  known.set(start, modules)
  // A set is walked to its end, with what is added meanwhile.
  for (const id of modules)
    for (const imported of bundle.getModuleInfo(id)?.importedIds ?? []) modules.add(imported)
  return modules
}
