import { writeFile } from 'node:fs/promises'
import { type Command, Option } from 'commander'
import { OPERATION_PATHS, problemWithCreatePath } from '../../contract/paths.ts'
import { COMMON, newCommand } from '../command-table.ts'
import { InterruptedError, UsageError } from '../errors/cli-errors.ts'
import { EXIT } from '../errors/exit-code.ts'
import { readContract } from '../named-file.ts'
import { type OutputFlags, outputFlags } from '../output/formats.ts'
import { openPrinter } from '../output/printer.ts'
import type { ProbeReport } from '../probe/probe.ts'
import { findTarget, readAuthorities, type TargetFlags, targetFlags } from '../target/find-target.ts'

interface ProbeFlags extends TargetFlags, OutputFlags {
  readonly allowWrites?: true
  readonly createPath?: string
  readonly save?: string
}

export const command = (): Command =>
  targetFlags(
    outputFlags(
      newCommand('probe')
        .description(
          'Find out how a server answers what the interface document leaves open, and write the contract file for it.',
        )
        .option(
          '--allow-writes',
          'also create payments, send receipts and cancel; without it, the command only reads',
        )
        .option('--create-path <path>', 'the path that creates payments, if it cannot be guessed')
        .addOption(new Option('--save <file>', 'write what was found as a contract file')),
    ).optionsGroup(COMMON.target),
  )
    .addHelpText(
      'after',
      `
Only test keys are accepted. The command sends one request at a time, at most 80, and waits when the server asks for it.
Every payment that it makes has a reference that begins with paysim-probe. It cancels them where that is possible, and
lists the others. What a server does not show is unknown, with the reason.

The exit code is 0, or 10 if an answer contradicts the interface document.

Examples:
  paysim probe --base-url https://api.example/v1 --key-file keys.txt
  paysim probe --profile sandbox --allow-writes --save contract.json
  paysim serve --contract contract.json
  paysim probe --allow-writes -o json`,
    )
    .action(run)

const CONNECT_TIMEOUT_MS = 10_000

async function run(flags: ProbeFlags): Promise<void> {
  const printer = openPrinter(flags)
  const { baseUrl, keys, profile } = await findTarget(flags)
  const createPath = await createPathOf(flags, profile?.contract)
  const caFile = flags.caFile ?? profile?.ca_file
  const interruption = new AbortController()
  const interrupt = () => interruption.abort(new InterruptedError())
  process.once('SIGINT', interrupt).once('SIGTERM', interrupt)
  const { probe } = await import('../probe/probe.ts')
  const { probeView } = await import('../probe/view.ts')
  let report: ProbeReport
  try {
    report = await probe({
      baseUrl,
      keys,
      createPath,
      allowWrites: flags.allowWrites ?? false,
      signal: interruption.signal,
      retries: flags.retries,
      timeoutMs: flags.requestTimeout ?? CONNECT_TIMEOUT_MS,
      ca: caFile === undefined ? undefined : await readAuthorities(caFile),
      onProgress: (name, at, of) => showProgress(`${bar(at, of)} ${at} of ${of}: ${name}`),
    })
  } finally {
    showProgress('')
    process.off('SIGINT', interrupt).off('SIGTERM', interrupt)
  }
  if (flags.save !== undefined) await save(flags.save, report)
  if (report.violations.length > 0) process.exitCode = EXIT.expectationFailed
  await printer.show({ body: report }, probeView)
}

async function createPathOf(
  flags: ProbeFlags,
  known: Readonly<Record<string, unknown>> | undefined,
): Promise<string> {
  if (flags.createPath === undefined) {
    const contract = flags.contract ?? known
    return contract === undefined
      ? OPERATION_PATHS.createPayment.path
      : (await readContract(contract))['create.path']
  }
  const problem = problemWithCreatePath(flags.createPath)
  if (problem !== undefined) throw new UsageError(`--create-path ${flags.createPath}: ${problem}`)
  return flags.createPath
}

async function save(file: string, { contract }: ProbeReport): Promise<void> {
  try {
    await writeFile(file, `${JSON.stringify(contract, null, 2)}\n`)
  } catch (cause) {
    throw new UsageError(`cannot write ${file} (--save): ${cause instanceof Error ? cause.message : cause}`)
  }
  process.stderr.write(`Wrote ${file}. Use it with \`paysim serve --contract ${file}\`.\n`)
}

const CELLS = 20
const bar = (at: number, of: number) => {
  const done = Math.round((at / of) * CELLS)
  return `[${'#'.repeat(done)}${'.'.repeat(CELLS - done)}]`
}

/** Shows a line until the next one. */
function showProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[K${text}`)
}
