import { Archive } from '../../contract/control/requests.ts'
import type { FieldProblem } from '../../contract/errors.ts'
import type { Entry } from '../../domain/events.ts'
import type { AccountRuntime } from '../../engine/account-runtime.ts'
import { digestOf } from '../../engine/image-store.ts'
import { entryToday, readLine } from '../../engine/journal-format.ts'
import { UnavailableError } from '../../engine/unavailable.ts'
import { demandAvailable } from '../carry-out.ts'
import { refuseProblems } from '../refusal.ts'
import { bodyReader, type ControlHandlers, runtimeNamed } from './control-call.ts'
import type { ControlSettings } from './settings.ts'

/** An export may be larger than any merchant request. */
const readArchive = bodyReader<Archive>(Archive, { cap: 512 * 1024 * 1024 })

export function archiveCalls({ gateway, requests }: ControlSettings) {
  return {
    'GET /accounts/:account/export': (request, answer) => {
      const runtime = runtimeNamed(gateway, request)
      return inTurn(runtime, async () => answer(200, await archiveOf(runtime)))
    },

    'PUT /accounts/:account/import': async (request, answer) => {
      const runtime = runtimeNamed(gateway, request)
      const archive = await readArchive(request)
      const entries = archive.entries.map(entryToday)
      const images = await checkArchive({ ...archive, entries }, runtime.account.environment)
      return replacing(runtime, async () => {
        await demandAvailable(runtime)
        await runtime.courier.idle()
        try {
          await gateway.adopt(runtime, archive.seed, entries as Entry[], images)
        } catch (cause) {
          if (!(cause instanceof Error) || cause instanceof UnavailableError) throw cause
          throw refuseProblems([{ field: 'entries', message: `are not consistent: ${cause.message}` }])
        }
        return answer(200, { account: runtime.account.id, entries: entries.length })
      })
    },

    'POST /accounts/:account/reset': (request, answer) => {
      const runtime = runtimeNamed(gateway, request)
      return replacing(runtime, async () => {
        await demandAvailable(runtime)
        await runtime.courier.idle()
        await gateway.reset(runtime)
        requests.forget(runtime.account.id)
        return answer(200, { account: runtime.account.id })
      })
    },
  } satisfies Partial<ControlHandlers>
}

const lastTurns = new WeakMap<AccountRuntime, Promise<unknown>>()

/** Exports, imports and resets of an account run one after another, so each sees a complete state. */
function inTurn<T>(runtime: AccountRuntime, act: () => Promise<T>): Promise<T> {
  const turn = (lastTurns.get(runtime) ?? Promise.resolve()).then(act)
  lastTurns.set(
    runtime,
    turn.catch(() => {}),
  )
  return turn
}

/** An account must not change while its history is replaced. */
const replacing = <T>(runtime: AccountRuntime, act: () => Promise<T>): Promise<T> =>
  inTurn(runtime, () => runtime.time.inTurn(act))

/** Checks what the schema cannot express, and returns the images as bytes. */
async function checkArchive(
  { account, entries, images }: Archive,
  environment: string,
): Promise<Map<string, Buffer>> {
  const problems: FieldProblem[] = []
  if (!account.endsWith(`.${environment}`))
    problems.push({
      field: 'account',
      message: `must be an account of the environment ${environment}: ${account}`,
    })
  // A schema for each event there is: made when somebody imports, and not at every start.
  const { checkEntries } = await import('../../domain/check-entries.ts')
  problems.push(...checkEntries(entries))
  const bytesOf = new Map(Object.entries(images).map(([name, text]) => [name, Buffer.from(text, 'base64')]))
  for (const [digest, bytes] of bytesOf)
    if (digestOf(bytes) !== digest)
      problems.push({ field: `images.${digest}`, message: 'must be the bytes whose SHA-256 is its name' })
  if (problems.length > 0) throw refuseProblems(problems)
  return bytesOf
}

async function archiveOf(runtime: AccountRuntime): Promise<Archive> {
  const { account, images } = runtime
  const entries: unknown[] = []
  const digests = new Set<string>()
  for await (const line of account.journal.lines()) {
    const entry = readLine(line)
    entries.push(entry)
    for (const event of entry.events) if ('digest' in event) digests.add(event.digest)
  }
  const stored: Record<string, string> = {}
  for (const digest of digests) {
    const bytes = await images.get(digest)
    if (bytes) stored[digest] = bytes.toString('base64')
  }
  return { paysim: 1, account: account.id, seed: account.seed, entries, images: stored }
}
