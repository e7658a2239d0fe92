// Runs commands of the built binary one after the other. Each has its own words, environment, folder and streams, as if
// it were a process of its own; only the modules stay loaded, which take longer than most commands.
import { createRequire } from 'node:module'
import { Readable } from 'node:stream'

const require = createRequire(import.meta.url)
const BUILT = require.resolve('../../../dist/cli.cjs')
/** A command may start itself as another process. */
const PROGRAM = require.resolve('../../../bin/paysim.js')
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP']

class Exit extends Error {}

async function run({ args, cwd, env, input }) {
  const written = { stdout: [], stderr: [] }
  const listeners = process.listeners('exit')
  let code
  const end = () => {
    if (code !== undefined) return
    code = Number(process.exitCode ?? 0)
    for (const listener of process.listeners('exit')) if (!listeners.includes(listener)) listener(code)
  }
  for (const name of ['stdout', 'stderr'])
    process[name].write = (chunk, encoding, callback = encoding) => {
      if (code === undefined) written[name].push(Buffer.from(chunk))
      if (typeof callback === 'function') process.nextTick(callback)
      return true
    }
  process.exit = given => {
    process.exitCode = given ?? process.exitCode
    end()
    // A process that has ended runs nothing more, so this ends the command, and its later output is dropped.
    throw new Exit()
  }
  process.exitCode = undefined
  process.argv.splice(1, process.argv.length, PROGRAM, ...args)
  process.chdir(cwd)
  for (const name of Object.keys(process.env)) if (!(name in env)) delete process.env[name]
  Object.assign(process.env, env)
  Object.defineProperty(process, 'stdin', { configurable: true, value: Readable.from([Buffer.from(input)]) })
  delete require.cache[BUILT]
  await require(BUILT).finished
  end()
  for (const signal of SIGNALS) process.removeAllListeners(signal)
  for (const stream of [process.stdout, process.stderr]) stream.removeAllListeners('error')
  for (const listener of process.listeners('exit'))
    if (!listeners.includes(listener)) process.off('exit', listener)
  const [stdout, stderr] = [written.stdout, written.stderr].map(parts => Buffer.concat(parts).toString())
  return { code, stdout, stderr }
}

// A separate process would print warnings on its stderr.
process.on('warning', ({ name, message }) => process.stderr.write(`${name}: ${message}\n`))

const exit = process.exit.bind(process)
process.on('disconnect', () => exit())
process.on('message', async command => process.send(await run(command)))
