// Loaded into a server before its own code. It counts the calls that change the disk, and at the call that its parent
// chose, it ends the process, makes the call fail, or tells of it. It also tells its parent how much memory is in use.
import { constants, writeSync } from 'node:fs'
import files from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** The calls that change something, by the object that has them. */
const OF_PATHS = ['chmod', 'link', 'mkdir', 'open', 'rename', 'rm', 'unlink', 'writeFile']
const ACCESS = constants.O_RDONLY | constants.O_WRONLY | constants.O_RDWR
const OF_HANDLES = ['chmod', 'datasync', 'sync', 'truncate', 'write', 'writeFile']
/** Calls that only read, which count only if the plan says so. */
const READING_OF_PATHS = ['lstat', 'readdir', 'stat']
const READING_OF_HANDLES = ['read', 'readFile', 'stat']

/** What to do at which call: `{ nth, then, from, code, times, isHeld, withReads }`; undefined while nothing is planned. */
let plan
/** Lets the calls continue that are held. */
let release = () => {}
let released = Promise.resolve()
let calls = 0
const paths = new WeakMap()

function die(call, path) {
  writeSync(2, `\nended at ${call} ${path}\n`)
  process.kill(process.pid, 'SIGKILL')
  return new Promise(() => {})
}

function failure(call, path) {
  const { code } = plan
  return Object.assign(new Error(`${code}: planned failure, ${call} '${path}'`), {
    code,
    syscall: call,
    path,
  })
}

/** Whether a file is opened only for reading, by the flags of the call, which are a text or a number. */
const onlyReads = flags =>
  flags === 'r' || (typeof flags === 'number' && (flags & ACCESS) === constants.O_RDONLY)

function intercept(owner, name, pathOf, reads) {
  const real = owner[name]
  owner[name] = async function (...args) {
    const path = String(pathOf.call(this, ...args))
    const changes = !reads && !(name === 'open' && onlyReads(args[1]))
    // Calls for files outside the data directory do not count.
    const counts = path.includes(process.env.TORTURE_DATA) && (changes || plan?.withReads)
    const call = counts && (calls > 0 || !plan?.from || path.includes(plan.from)) ? ++calls : 0
    const isPlanned = call > 0 && plan && call >= plan.nth && call < plan.nth + plan.times
    if (isPlanned && plan.then === 'tell') writeSync(2, `\ncalled ${name} ${path}\n`)
    if (isPlanned && plan.then === 'end before') return die(name, path)
    if (isPlanned && plan.then === 'fail') {
      const planned = failure(name, path)
      await released
      throw planned
    }
    if (isPlanned && plan.then === 'end halfway' && name === 'write') {
      const [bytes, offset, length, position] = args
      await real.call(this, bytes, offset, Math.floor(length / 2), position)
      return die(name, path)
    }
    const done = await real.apply(this, args)
    if (name === 'open') paths.set(done, path)
    if (isPlanned && plan.then !== 'tell') return die(name, path)
    return done
  }
}

const handle = await files.open(process.execPath)
const handles = Object.getPrototypeOf(handle)
await handle.close()
const pathIn =
  name =>
  (...args) =>
    args.at(name === 'link' || name === 'rename' ? 1 : 0)
function pathOfHandle() {
  return paths.get(this) ?? ''
}
for (const name of OF_PATHS) intercept(files, name, pathIn(name), false)
for (const name of READING_OF_PATHS) intercept(files, name, pathIn(name), true)
for (const name of OF_HANDLES) intercept(handles, name, pathOfHandle, false)
for (const name of READING_OF_HANDLES) intercept(handles, name, pathOfHandle, true)
syncBuiltinESMExports()

function take(next) {
  plan = next === null ? undefined : { times: 1, code: 'ENOSPC', ...next }
  calls = 0
  release()
  released = plan?.isHeld ? new Promise(resolve => (release = resolve)) : Promise.resolve()
}
if (process.env.TORTURE_PLAN) take(JSON.parse(process.env.TORTURE_PLAN))

/** The bytes in use, without garbage that was not collected yet. */
function memoryInUse() {
  setFlagsFromString('--expose-gc')
  runInNewContext('gc')()
  const { heapUsed, external } = process.memoryUsage()
  return heapUsed + external
}

process.on('message', next => {
  if (next === 'memory') return process.send(memoryInUse())
  const before = calls
  take(next)
  process.send(before)
})
// The server ends when its own work is over.
process.channel?.unref()
