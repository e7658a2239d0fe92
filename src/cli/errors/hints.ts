import { ControlError } from '../../client/errors.ts'
import { ApiError } from '../../client/index.ts'
import type { Why } from '../../contract/control/timeline.ts'
import type { TargetCandidate, TargetChoice } from '../where/choice.ts'
import { type LocalSimulator, originOf } from '../where/simulators.ts'
import { EXIT, exitCodeOf } from './exit-code.ts'
import { addHint, commandLines } from './report-error.ts'

/** What is known about the calls of a command, for those who meet a refusal. */
export interface Circumstances {
  readonly choice: TargetChoice
  /** Which credentials the server was shown, where they were found, and what to do if they are wrong. */
  readonly credentials: string
  /** Asks why a record is as it is; undefined if nobody can be asked. */
  readonly why: (id: string) => Promise<Why | undefined>
}

/** Adds the next step below an error, so that no refusal is a dead end. */
export async function hintAtNext(error: unknown, circumstances: Circumstances): Promise<void> {
  const lines = await nextStep(error, circumstances)
  if (lines.length > 0) addHint(error, lines.join('\n'))
}

async function nextStep(error: unknown, { choice, credentials, why }: Circumstances): Promise<string[]> {
  if (isRefusal(error) && error.status === 401) return [credentials]
  switch (exitCodeOf(error)) {
    case EXIT.notFound:
      return Promise.all(
        (await choice.others()).map(place => (requestedId() ? mayHave(place) : mayBe(place))),
      )
    case EXIT.noAnswer:
      return (await choice.others()).map(mayBe)
    case EXIT.state:
      return isRefusal(error) && error.code === 'invalid_state' ? reasons(why) : []
    default:
      return []
  }
}

const isRefusal = (error: unknown): error is ApiError | ControlError =>
  error instanceof ApiError || error instanceof ControlError

/** Why the record is not in a state in which that is possible, and the commands that would change it. */
async function reasons(why: Circumstances['why']): Promise<string[]> {
  const id = requestedId()
  const told = id === undefined ? undefined : await why(id)
  return told ? [told.sentence, ...(told.commands.length > 0 ? [commandLines(told.commands)] : [])] : []
}

const what = ({ url, name, simulator }: TargetCandidate) =>
  simulator
    ? `there is also a local simulator at ${originOf(url)}`
    : `there is also ${originOf(url)} (${name})`

const mayBe = (place: TargetCandidate) => `${what(place)}: did you mean that one?`

async function mayHave(place: TargetCandidate): Promise<string> {
  const id = requestedId()
  const account = id && place.simulator && (await accountWith(id, place.simulator))
  return account
    ? `${what(place)}, which has ${id} in the account ${account}`
    : `${what(place)}, which may have this record`
}

/** The id of a record on the command line. */
function requestedId(): string | undefined {
  for (const word of process.argv.slice(2)) {
    const [id] = /\b(?:pi|po|ast|evt|whd|we)_[A-Za-z0-9]+\b/.exec(word) ?? []
    if (id) return id
  }
  return undefined
}

const PATIENCE_MS = 1000

/** The simulator's own token must go to no other server. */
async function accountWith(
  id: string,
  { control_url, control_token }: LocalSimulator,
): Promise<string | undefined> {
  const { ControlClient } = await import('../../client/control-client.ts')
  const control = new ControlClient(
    { controlUrl: control_url, token: control_token },
    { signal: AbortSignal.timeout(PATIENCE_MS) },
  )
  try {
    const accounts = (await control.merchants.list()).flatMap(({ accounts }) => accounts.map(({ id }) => id))
    const found = await Promise.all(
      accounts.map(account =>
        control
          .account(account)
          .history(id)
          .then(entries => entries.length > 0)
          .catch(() => false),
      ),
    )
    return accounts.find((_, at) => found[at])
  } catch {
    return undefined
  } finally {
    await control.close()
  }
}
