import { COMMANDS } from './commands.ts'
import { dispatch } from './dispatch.ts'

const argv = process.argv.slice(2)

if (argv[0] === '--version' || argv[0] === '-V') process.stdout.write(`${PAYSIM_VERSION}\n`)
else {
  try {
    await dispatch(COMMANDS, argv)
  } catch (fault) {
    const { reportFault } = await import('./faults/report-fault.ts')
    reportFault(fault)
  }
}
