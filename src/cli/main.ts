import { dispatch } from './dispatch.ts'
import { openDoor } from './output/door.ts'

const argv = process.argv.slice(2)

openDoor()

// An empty variable counts as unset: scripts often pass one.
for (const [name, value] of Object.entries(process.env))
  if (name.startsWith('PAYSIM_') && value === '') delete process.env[name]

async function run(): Promise<void> {
  if (argv[0] === '__complete') {
    // Called by the scripts of `paysim completion`.
    const [{ complete }, { COMMANDS }] = await Promise.all([
      import('./completion.ts'),
      import('./commands.ts'),
    ])
    process.stdout.write(await complete(COMMANDS, argv.slice(1)))
    return
  }
  if (argv[0] === '__play') {
    // Called by `paysim run`, for a process of its own.
    const { playForParent } = await import('./scenario/players.ts')
    return playForParent()
  }
  try {
    const { COMMANDS } = await import('./commands.ts')
    await dispatch(COMMANDS, argv)
  } catch (error) {
    const { reportError } = await import('./errors/report-error.ts')
    reportError(error)
  }
}

/** When the command is done. */
export const finished = run()
