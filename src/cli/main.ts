import { dispatch } from './dispatch.ts'

const argv = process.argv.slice(2)

// An empty variable counts as unset: scripts often pass one.
for (const [name, value] of Object.entries(process.env))
  if (name.startsWith('PAYSIM_') && value === '') delete process.env[name]

async function run(): Promise<void> {
  if (argv[0] === '__complete') {
    // Called by the scripts of `paysim completion`, which ignore errors.
    const { printKnown } = await import('./completion/known-values.ts')
    return printKnown(argv[1], argv.slice(2))
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
