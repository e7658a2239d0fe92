import { join, resolve } from 'node:path'
import type { ControlClient, MerchantRecord } from '../../client/control-client.ts'
import type { Keys } from '../../client/credentials.ts'
import { isRunning } from '../../engine/store/process-lock.ts'
import { UsageError } from '../errors/cli-errors.ts'
import { textOfFile } from '../named-file.ts'
import { directoryIn } from '../store-address.ts'
import { once } from './once.ts'
import { type Announcement, announced, workingDirectory } from './run-folder.ts'

/** What a running simulator writes about itself, in its data directory or in the run folder. */
export interface LocalSimulator {
  readonly pid?: number
  readonly url: string
  /** Where it listens, if its URL is that of a tunnel or a balancer. */
  readonly listen?: string
  readonly control_url: string
  readonly control_token: string
  /** Null if everything is in memory or in a database. */
  readonly data_dir: string | null
  /** The address of its store. */
  readonly store?: string
  readonly accounts: readonly {
    readonly id: string
    readonly environment: string
    readonly public_key: string
    readonly secret_key: string
  }[]
}

export const dataDirectory = (): string =>
  directoryIn(process.env.PAYSIM_STORE) ?? resolve(process.env.PAYSIM_DATA || '.paysim')

/** What can be learned about the simulators that run on this machine. */
export interface Running {
  here(): Promise<readonly LocalSimulator[]>
  /** The one of this user whose API or control surface has this address. */
  at(address: string): Promise<LocalSimulator | undefined>
  keysOf(simulator: LocalSimulator, account?: string): Promise<Keys>
  accountWith(simulator: LocalSimulator, publicKey: string): Promise<string | undefined>
}

/** The local simulator: the one to call if nothing else is named. */
export async function findLocalSimulator(): Promise<LocalSimulator | undefined> {
  const [first] = await simulatorsHere()
  return first
}

/**
 * The simulators that "the local simulator" may mean, the likeliest first: the one that serves the data directory of
 * this folder, then those that were started in this folder, the latest first. If PAYSIM_DATA names a directory, only the
 * simulator that serves it. PAYSIM_STORE names one too.
 */
export async function simulatorsHere(): Promise<LocalSimulator[]> {
  const serving = await simulatorOf(dataDirectory())
  if (process.env.PAYSIM_DATA || directoryIn(process.env.PAYSIM_STORE)) return serving ? [serving] : []
  const here = workingDirectory()
  const started = await simulatorsAmong((await announced()).filter(({ cwd }) => cwd === here))
  const all = [...(serving ? [serving] : []), ...started]
  const live = (await keepAlive(all.filter(isFirstMention))).filter(isFirstOfDatabase)
  // A killed simulator is still the best guess: the call then reports that nothing answers there.
  return live.length > 0 ? live : all.slice(0, 1)
}

export const originOf = (url: string): string | undefined =>
  URL.canParse(url) ? new URL(url).origin : undefined

/** The simulator that a data directory names, if any. */
async function simulatorOf(directory: string): Promise<LocalSimulator | undefined> {
  try {
    return reachedHere(JSON.parse(await textOfFile(join(directory, 'server.json'))))
  } catch {
    return undefined
  }
}

async function simulatorsAmong(entries: readonly Announcement[]): Promise<LocalSimulator[]> {
  const found = await Promise.all(
    entries.map(entry => (entry.data_dir === null ? asFacts(entry) : simulatorOf(entry.data_dir))),
  )
  return found.flatMap(simulator => (simulator === undefined ? [] : [simulator]))
}

const asFacts = (entry: object): LocalSimulator | undefined =>
  'url' in entry && 'control_url' in entry && 'accounts' in entry
    ? reachedHere(entry as LocalSimulator)
    : undefined

/** On this machine a simulator is called where it listens: its tunnel need not be open. */
const reachedHere = (simulator: LocalSimulator): LocalSimulator => ({
  ...simulator,
  url: simulator.listen ?? simulator.url,
})

const isFirstMention = (one: LocalSimulator, at: number, all: readonly LocalSimulator[]) =>
  all.findIndex(other => other.control_url === one.control_url) === at

/** Processes that serve one database are one gateway. */
const isFirstOfDatabase = (
  { store = 'memory:' }: LocalSimulator,
  at: number,
  all: readonly LocalSimulator[],
) => !/^postgres/.test(store) || all.findIndex(other => other.store === store) === at

/** If there is only one simulator, there is nothing to choose, so it is enough that its process exists. */
async function keepAlive(all: readonly LocalSimulator[]): Promise<LocalSimulator[]> {
  const [only] = all
  if (only && all.length === 1 && (only.pid === undefined || isRunning(only.pid))) return [only]
  const alive = await Promise.all(all.map(answers))
  return all.filter((_, at) => alive[at])
}

const PATIENCE_MS = 1000

/** Whether a server listens there. A slow server counts. */
async function answers({ control_url }: LocalSimulator): Promise<boolean> {
  const { isTimeout, nodeHttp, notYet } = await import('../../client/transport/node-transport.ts')
  const { origin, pathname } = new URL(control_url)
  const http = nodeHttp({ origin })
  const limits = { connectMs: PATIENCE_MS, headersMs: PATIENCE_MS }
  try {
    const request = { method: 'GET', origin, path: `${pathname}/health`, headers: {} }
    const { status } = await http.open(request, { progress: notYet(), limits })
    return status === 200
  } catch (cause) {
    return isTimeout(cause)
  } finally {
    await http.close()
  }
}

/** A merchant's name alone means its test account. */
export function accountNamed(name = process.env.PAYSIM_ACCOUNT || 'default.test'): string {
  return name.includes('.') ? name : `${name}.test`
}

/** The keys of an account of a local simulator. For an account created since the start, the simulator is asked. */
export async function keysOf(simulator: LocalSimulator, wanted?: string): Promise<Keys> {
  const id = accountNamed(wanted)
  const known = simulator.accounts.find(account => account.id === id)
  if (known) return { publicKey: known.public_key, secretKey: known.secret_key }
  const { control_url: controlUrl, control_token: token } = simulator
  const { ControlClient, ControlError } = await import('../../client/control-client.ts')
  const control = new ControlClient({ controlUrl, token })
  try {
    const pair = (await control.account(id).keys.list()).find(({ secret_key }) => secret_key)
    if (pair?.secret_key) return { publicKey: pair.public_key, secretKey: pair.secret_key }
    throw new UsageError(
      `all keys of ${id} are revoked: create one with \`paysim sim keys add --account ${id}\``,
    )
  } catch (error) {
    if (error instanceof ControlError && error.status === 404)
      throw new UsageError(await noAccount(id, control))
    throw error
  } finally {
    await control.close()
  }
}

async function noAccount(id: string, control: ControlClient): Promise<string> {
  const accounts = (await control.merchants.list()).flatMap(merchant => merchant.accounts.map(({ id }) => id))
  return `the local simulator has no account ${id}; it has ${accounts.join(', ')}`
}

/** The account that has this key. One that was created since the start is looked up at the simulator. */
async function accountWith(
  { accounts, control_url: controlUrl, control_token: token }: LocalSimulator,
  publicKey: string,
): Promise<string | undefined> {
  const announced = accounts.find(account => account.public_key === publicKey)
  if (announced) return announced.id
  const { ControlClient } = await import('../../client/control-client.ts')
  const control = new ControlClient({ controlUrl, token }, { signal: AbortSignal.timeout(PATIENCE_MS) })
  try {
    return accountAmong(await control.merchants.list(), publicKey)
  } catch {
    return undefined
  } finally {
    await control.close()
  }
}

export const accountAmong = (merchants: readonly MerchantRecord[], publicKey: string): string | undefined =>
  merchants
    .flatMap(({ accounts }) => accounts)
    .find(({ public_key, more_keys = [] }) =>
      [public_key, ...more_keys.map(pair => pair.public_key)].includes(publicKey),
    )?.id

/** Looks at the files of running simulators, and at each of them once, however often it is asked. */
export function lookAround(): Running {
  const here = once(simulatorsHere)
  const started = once(async () => simulatorsAmong(await announced()))
  return {
    here,
    async at(address) {
      const origin = originOf(address)
      const isThere = ({ url, control_url }: LocalSimulator) =>
        origin !== undefined && (originOf(url) === origin || originOf(control_url) === origin)
      return (await here()).find(isThere) ?? (await started()).find(isThere)
    },
    keysOf,
    accountWith,
  }
}
