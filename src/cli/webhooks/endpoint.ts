import { type AccountControl, type ControlAddress, ControlClient } from '../../client/control-client.ts'
import { checkWebhook } from '../../library/webhook-checks.ts'
import type { Arrival } from '../../library/webhook-listener.ts'

/** An endpoint of this process at the simulator, for as long as it listens. */
export interface OwnEndpoint {
  readonly secret: string
  /** The secret that a webhook is to be held against: a rotation gives the endpoint another. */
  secretFor(arrival: Arrival): Promise<string>
  /** Registers it again whenever the account has forgotten it, until `signal` aborts; rejects where the simulator ends. */
  stay(signal: AbortSignal, onAgain: () => void): Promise<void>
}

export async function registerEndpoint(
  account: AccountControl,
  endpoint: { readonly url: string; readonly events?: readonly string[] },
): Promise<OwnEndpoint> {
  const { url } = endpoint
  let { secret } = await account.webhookEndpoints.add(endpoint)
  const isSignedWith = ({ headers, body }: Arrival) =>
    checkWebhook({ headers, body: body.toString('utf8'), secret, now: Date.now() }).every(
      ({ check, fault }) => check !== 'signature' || fault === null,
    )
  return {
    get secret() {
      return secret
    },
    async secretFor(arrival) {
      if (isSignedWith(arrival)) return secret
      // Where the simulator cannot be asked any more, the secret is what it was.
      const endpoints = await account.webhookEndpoints.list().catch(() => [])
      secret = endpoints.find(each => each.url === url)?.secret ?? secret
      return secret
    },
    async stay(signal, onAgain) {
      let last = 0
      for await (const { event, data } of account.stream(signal)) {
        if (event === 'request') continue
        // A journal that counts anew is another: the account was emptied, or replaced.
        if (data.seq <= last && !(await account.webhookEndpoints.list()).some(each => each.url === url)) {
          secret = (await account.webhookEndpoints.add(endpoint)).secret
          onAgain()
        }
        last = data.seq
      }
    },
  }
}

const PATIENCE_MS = 3000

/** Removes every endpoint at an address: whatever ended the listening, on connections of its own. */
export async function removeEndpoints(address: ControlAddress, account: string, url: string): Promise<void> {
  const control = new ControlClient(address, { signal: AbortSignal.timeout(PATIENCE_MS) })
  try {
    const { webhookEndpoints } = control.account(account)
    for (const endpoint of await webhookEndpoints.list())
      if (endpoint.url === url) await webhookEndpoints.remove(endpoint.id)
  } finally {
    await control.close()
  }
}
