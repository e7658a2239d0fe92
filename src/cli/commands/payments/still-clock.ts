import type { MerchantRecord } from '../../../client/control-client.ts'
import { findControl } from '../../control/find-control.ts'
import type { Target } from '../../target/find-target.ts'

const DEFAULT_ACCOUNT = 'default.test'

/** Where the target is a simulator whose clock stands still, waiting alone brings nothing: what to do about it. */
export async function stillClockHint({ baseUrl, keys }: Target): Promise<string | undefined> {
  try {
    const simulator = await findControl({})
    if (simulator.url === undefined || new URL(simulator.url).origin !== new URL(baseUrl).origin)
      return undefined
    const { ControlClient } = await import('../../../client/control-client.ts')
    const control = new ControlClient(simulator)
    try {
      const account = accountOf(keys.publicKey, await control.merchants.list())
      if (account === undefined || (await control.account(account).clock.get()).mode !== 'virtual')
        return undefined
      const which = account === DEFAULT_ACCOUNT ? '' : ` --account ${account}`
      return `The clock of ${account} stands still: \`paysim sim clock advance 5s${which}\` moves it.`
    } finally {
      await control.close()
    }
  } catch {
    // A hint that cannot be given is no fault of the call.
    return undefined
  }
}

function accountOf(publicKey: string, merchants: readonly MerchantRecord[]): string | undefined {
  return merchants
    .flatMap(({ accounts }) => accounts)
    .find(({ public_key, more_keys = [] }) =>
      [public_key, ...more_keys.map(pair => pair.public_key)].includes(publicKey),
    )?.id
}
