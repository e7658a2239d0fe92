import { EXIT, exitCodeOf } from '../errors/exit-code.ts'
import { addHint } from '../errors/report-error.ts'
import { type LocalSimulator, originOf } from './local-simulator.ts'
import type { TargetCandidate, TargetChoice } from './other-targets.ts'

/** If a record is not found or nothing answers, the caller may have meant another gateway: name the others. */
export async function hintAtOthers(error: unknown, choice: TargetChoice): Promise<void> {
  const code = exitCodeOf(error)
  if (code !== EXIT.notFound && code !== EXIT.noAnswer) return
  const others = await choice.others()
  const lines = await Promise.all(
    others.map(place => (code === EXIT.notFound ? mayHave(place) : mayBe(place))),
  )
  if (lines.length > 0) addHint(error, lines.join('\n'))
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
    const [id] = /\b(?:pi|po|ast|evt)_[A-Za-z0-9]{24}\b/.exec(word) ?? []
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
