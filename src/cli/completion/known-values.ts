import { readPackageFile } from '../../package-files.ts'

/** Values that only this machine knows. */
export type Known = 'profiles' | 'accounts' | 'methods'

/** Nobody who presses Tab wants to wait for a simulator that hangs. */
const PATIENCE_MS = 500

/** The known values; none after an error. `words` is the command line so far. */
export const findKnown = (kind: Known, words: readonly string[]): Promise<readonly string[]> =>
  FIND[kind](words).catch(() => [])

const FIND: Readonly<Record<Known, (words: readonly string[]) => Promise<readonly string[]>>> = {
  profiles: profileNames,
  accounts: accountIds,
  methods: methodCodes,
}

async function profileNames(): Promise<readonly string[]> {
  const { readProfiles } = await import('../profiles/profiles.ts')
  return Object.keys((await readProfiles()).profiles)
}

async function accountIds(): Promise<readonly string[]> {
  const merchants = await withSimulator(control => control.merchants.list())
  return merchants.flatMap(({ accounts }) => accounts.map(({ id }) => id))
}

/** The methods of the named account at the local simulator; without a simulator, the default methods. */
async function methodCodes(words: readonly string[]): Promise<readonly string[]> {
  const account = words[words.lastIndexOf('--account') + 1]
  const named = words.includes('--account') && account !== undefined ? account : 'default.test'
  const { methods } = await withSimulator(control => control.account(named).catalogue.get()).catch(standard)
  return methods.map(({ code }) => code)
}

async function standard(): Promise<{ methods: readonly { readonly code: string }[] }> {
  return JSON.parse(readPackageFile('fixtures/catalogue.json').toString())
}

type Control = InstanceType<typeof import('../../client/control-client.ts')['ControlClient']>

async function withSimulator<T>(use: (control: Control) => Promise<T> | PromiseLike<T>): Promise<T> {
  const [{ findControl }, { ControlClient }] = await Promise.all([
    import('../control/find-control.ts'),
    import('../../client/control-client.ts'),
  ])
  const control = new ControlClient(await findControl({}), { signal: AbortSignal.timeout(PATIENCE_MS) })
  try {
    return await use(control)
  } finally {
    await control.close()
  }
}
