import { writeFile } from 'node:fs/promises'
import { type Command, InvalidArgumentError } from 'commander'
import { newCommand } from '../command-table.ts'
import { UsageError } from '../errors/cli-errors.ts'
import { EXIT } from '../errors/exit-code.ts'
import { cannotWrite } from '../named-file.ts'
import { openPrinter } from '../output/printer.ts'
import { createPathOf, type GatewayFlags, gatewayFlags, withGateway } from '../probe/gateway-flags.ts'
import { NO_PROFILES } from '../profiles/profiles.ts'
import type { Recording } from '../verify/compare.ts'
import type { Verified } from '../verify/verify.ts'
import { type Where, whereIs } from '../where/where.ts'

interface VerifyFlags extends GatewayFlags {
  readonly report?: string
  readonly record?: string
  readonly against?: string
}

export const command = (): Command =>
  gatewayFlags(
    newCommand('verify').description(
      'Make the same calls to a server and to a simulator with its contract, and say where they differ.',
    ),
    it =>
      it
        .option('--report <junit=file>', 'write a junit report to a file', junitFile)
        .option('--record <folder>', 'keep the answers of the server, without secrets')
        .option('--against <folder>', 'compare with kept answers instead of with a simulator'),
  )
    .addHelpText(
      'after',
      `
The calls are those of \`paysim probe\`, with the same care: only test keys, one request at a time, only GET and HEAD
without --allow-writes. The simulator starts for the command, with the contract of --contract or of the profile, and offers
the payment methods that the server lists. Decisions, statuses, headers and fields are compared, but only the form of
times, ids and texts.

With --allow-writes, the scenarios that come with paysim and need no simulator (portable-*.yaml) are played on both sides
too. A difference is named by the scenario and by its first expectation that fails on one side only. Here the simulator has
the contract as it is, so a decision that differs may also make a scenario differ.

With --against and no server named by --base-url, --profile, --account or the environment, the kept answers are compared
with the simulator, without a network.

The exit code is 0, 10 if something differs, and 7 if the server stopped answering before everything was compared.

Examples:
  paysim verify --profile sandbox --allow-writes
  paysim verify --base-url https://api.example/v1 --contract contract.json --report junit=report.xml
  paysim verify --profile sandbox --allow-writes --record golden
  paysim verify --profile sandbox --allow-writes --against golden
  paysim verify --contract contract.json --against golden`,
    )
    .action(run)

function junitFile(text: string): string {
  const [, file] = /^junit=(.+)$/.exec(text) ?? []
  if (file === undefined) throw new InvalidArgumentError('It must be junit=FILE, such as junit=report.xml.')
  return file
}

async function run(flags: VerifyFlags): Promise<void> {
  const printer = openPrinter(flags)
  const { demandFolder, keepRecording, readRecording } = await import('../verify/recording.ts')
  const earlier = flags.against === undefined ? undefined : await readRecording(flags.against)
  const isNamed = [flags.baseUrl, flags.profile, flags.account].some(flag => flag !== undefined)
  const isOffline = earlier !== undefined && !isNamed && !PAYSIM_VARIABLES.some(name => process.env[name])
  if (flags.record !== undefined && isOffline)
    throw new UsageError('--record keeps the answers of a server: name one with --base-url or --profile')
  if (flags.record !== undefined) await demandFolder(flags.record)
  const { verifyJunit, verifyView } = await import('../verify/verify.ts')
  const { recording, report } = isOffline
    ? await verifyKept(flags, earlier)
    : await verifyServer(flags, earlier)
  if (flags.record !== undefined) await keepRecording(flags.record, recording)
  if (flags.report !== undefined) {
    await writeFile(flags.report, verifyJunit(report)).catch(cannotWrite(flags.report, '--report'))
  }
  if (report.differences.length > 0) process.exitCode = EXIT.expectationFailed
  else if (report.ended !== null) process.exitCode = EXIT.noAnswer
  await printer.show({ body: report }, verifyView)
}

/** The variables that name a server. */
const PAYSIM_VARIABLES = ['PAYSIM_BASE_URL', 'PAYSIM_PROFILE']

async function verifyServer(flags: VerifyFlags, earlier: Recording | undefined): Promise<Verified> {
  const where = whereIs(flags)
  const contract = await overridesOf(where)
  const { verify } = await import('../verify/verify.ts')
  return withGateway(flags, where, gateway => verify({ gateway, contract, earlier, ...gateway }))
}

async function verifyKept(flags: VerifyFlags, earlier: Recording): Promise<Verified> {
  const where = whereIs({ contract: flags.contract }, { profiles: async () => NO_PROFILES })
  const contract = await overridesOf(where)
  const createPath = await createPathOf(flags, where)
  const { verify } = await import('../verify/verify.ts')
  return verify({ contract, createPath, earlier, signal: new AbortController().signal })
}

/** What a contract file or a profile says, if it is a contract. */
async function overridesOf(where: Where): Promise<Readonly<Record<string, unknown>>> {
  await where.contract()
  return (await where.overrides()) ?? {}
}
