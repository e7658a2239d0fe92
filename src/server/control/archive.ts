import { Readable } from 'node:stream'
import { ResetBody } from '../../contract/control/requests.ts'
import { sealed, shownSeed } from '../../engine/account/account-secret.ts'
import type { AccountRuntime } from '../../engine/account/open-runtime.ts'
import { entryTextOf, readLine } from '../../engine/journal/journal-format.ts'
import { imagesLost } from '../../engine/store/image-store.ts'
import { UnavailableError } from '../../engine/store/store-errors.ts'
import { yieldToEventLoop } from '../../engine/time/scheduling.ts'
import { demandAvailable } from '../carry-out.ts'
import { JSON_UTF8 } from '../http/reply.ts'
import { RefusalError, refuse, refuseProblems } from '../refusal.ts'
import { bodyReader, type ControlHandlers, type ControlSettings } from './control-call.ts'

const readReset = bodyReader<ResetBody>(ResetBody, { optional: true })

export function archiveCalls({ gateway, requests }: ControlSettings) {
  return {
    'GET /accounts/:account/export': ({ runtime, reply }) => {
      return oneAtATime(runtime, async () => {
        demandWholeHistory(runtime)
        const parts = await archiveOf(runtime)
        return reply.code(200).header('content-type', JSON_UTF8).send(Readable.from(parts))
      })
    },

    'PUT /accounts/:account/import': async ({ runtime, request, answer }) => {
      // It has a schema for each type of event, so it is loaded only when somebody imports.
      const { readArchive } = await import('./read-archive.ts')
      const archive = await readArchive(request.exchange.incoming, runtime.account.environment)
      return replacing(runtime, async () => {
        await demandAvailable(runtime)
        await runtime.courier.idle()
        try {
          await gateway.adopt(runtime, archive)
        } catch (cause) {
          if (!(cause instanceof Error) || cause instanceof UnavailableError) throw cause
          throw refuseProblems([{ field: 'entries', message: `are not consistent: ${cause.message}` }])
        }
        return answer(200, { account: runtime.account.id, entries: archive.entries.length })
      })
    },

    'POST /accounts/:account/reset': async ({ runtime, request, answer }) => {
      const { keep = [] } = await readReset(request)
      return replacing(runtime, async () => {
        await demandAvailable(runtime)
        await runtime.courier.idle()
        await gateway.reset(runtime, keep)
        requests.forget(runtime.account.id)
        return answer(200, { account: runtime.account.id })
      })
    },
  } satisfies Partial<ControlHandlers>
}

/** An archive is a history from its first entry, so that an import can check all of it. */
function demandWholeHistory({ account }: AccountRuntime): void {
  const { keptFrom } = account.journal
  if (keptFrom === 1) return
  throw refuse(
    'invalid_state',
    `The entries before ${keptFrom} of ${account.id} were removed by serve --history, and an export needs all of them. ` +
      'To move the account, stop the server and copy the data directory; to export it later, reset it and serve with --history all',
  )
}

const lastWork = new WeakMap<AccountRuntime, Promise<unknown>>()

/** Exports, imports and resets of an account run one after another, so each sees a complete state. */
function oneAtATime<T>(runtime: AccountRuntime, act: () => Promise<T>): Promise<T> {
  const work = (lastWork.get(runtime) ?? Promise.resolve()).then(act)
  lastWork.set(
    runtime,
    work.catch(() => {}),
  )
  return work
}

/** An account must not change while its history is replaced. */
const replacing = <T>(runtime: AccountRuntime, act: () => Promise<T>): Promise<T> =>
  oneAtATime(runtime, () => runtime.time.exclusively(act))

/** The text of an archive in parts of a few hundred kilobytes. Making it in one piece would block other accounts. */
export async function archiveOf({ account, images }: AccountRuntime): Promise<Buffer[]> {
  const { id } = account
  const secret = account.secret()
  const seed = shownSeed(secret, account.seed)
  const parts: Buffer[] = []
  let text = `{"paysim":1,"account":${JSON.stringify(id)},"seed":${JSON.stringify(seed)},"entries":[`
  const write = async (more: string) => {
    text += more
    if (text.length < PART_LENGTH) return
    parts.push(Buffer.from(text))
    text = ''
    await yieldToEventLoop()
  }
  const digests = new Set<string>()
  const lost: string[] = []
  let comma = ''
  for await (const line of account.journal.lines()) {
    const text = entryTextOf(line)
    const entry = text.includes('"secret":') ? JSON.stringify(sealed(readLine(line), secret)) : text
    await write(comma + entry)
    if (entry.includes('"digest":'))
      for (const event of readLine(line).events) if ('digest' in event) digests.add(event.digest)
    comma = ','
  }
  await write('],"images":{')
  comma = ''
  for (const digest of digests) {
    const bytes = await images.get(digest)
    if (!bytes) {
      lost.push(digest)
      continue
    }
    await write(`${comma}"${digest}":"${bytes.toString('base64')}"`)
    comma = ','
  }
  // An archive is often the only copy, so it never looks whole without being so.
  if (lost.length > 0) throw new RefusalError(imagesLost(id, lost))
  parts.push(Buffer.from(`${text}}}`))
  return parts
}

const PART_LENGTH = 256 * 1024
