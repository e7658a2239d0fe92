import { hostname } from 'node:os'
import { ENVIRONMENTS } from './contract/statuses.ts'
import type { WireAnswer } from './contract/wire-answer.ts'
import type { CatalogueData } from './domain/catalogue.ts'
import { accountId, accountsOf, type GatewaySettings } from './engine/account/open-runtime.ts'
import { Gateway } from './engine/gateway.ts'
import { Holds } from './engine/holds.ts'
import { applyScript, type Script } from './engine/merchant-script.ts'
import { readStandards, type Standards } from './engine/standards.ts'
import { digestOf } from './engine/store/image-store.ts'
import { openStore, refusedBy, type StoreLocation } from './engine/store/open-store.ts'
import { MerchantTakenError } from './engine/store/registry.ts'
import type { Store } from './engine/store/store.ts'
import { StartError } from './engine/store/store-errors.ts'
import { RealTime, SYSTEM_CLOCKS } from './engine/time/real-time.ts'
import { WebhookHostError, WebhookHosts } from './engine/webhooks/webhook-hosts.ts'
import { type RelayWebhook, WebhookSender } from './engine/webhooks/webhook-sender.ts'
import { App } from './server/app.ts'
import { chooseControlToken, newControlToken, openedBy } from './server/authentication.ts'
import type { Forwarder } from './server/cluster/forwarder.ts'
import { SignInLinks } from './server/dashboard/session.ts'
import { FaultBoxes } from './server/faults/wire-faults.ts'
import { EventStreams } from './server/http/event-stream.ts'
import { listen, listenAgain } from './server/http/listener.ts'
import type { LocalRequest } from './server/http/local-exchange.ts'
import { RequestLog } from './server/requests/request-log.ts'
import { demandWritable, readSnapshot, reasonOf, type Snapshot, writeSnapshot } from './server/snapshot.ts'
import { UnusedMerchants } from './server/unused-merchants.ts'

const DEFAULT_MERCHANT = 'default'
const ADVANCE_WAIT_MS = 15_000
/** How long the payer's browser waits for the application. */
const LONGEST_VISIT_MS = 5000

/** All options of `serve`. Members that are left out have the defaults of the command line. */
export interface SimulatorOptions extends StoreLocation {
  readonly port?: number | undefined
  readonly host?: string | undefined
  /** What links and pages begin with; by default, the server's own address. */
  readonly publicUrl?: string | undefined
  /** Where other processes on the same database reach this one; by default, its own address. */
  readonly advertise?: string | undefined
  readonly contract?: Readonly<Record<string, unknown>> | undefined
  readonly catalogue?: unknown
  readonly clock?: 'real' | 'virtual' | undefined
  readonly seed?: string | undefined
  readonly controlPort?: number | undefined
  readonly controlToken?: string | undefined
  readonly allowHosts?: readonly string[] | undefined
  readonly allowWebhooks?: readonly string[] | undefined
  readonly durability?: 'commit' | 'process' | undefined
  /** How long entries that a checkpoint has are kept, in wall time; forever by default. */
  readonly historyMs?: number | undefined
  /** How long one advance waits for webhook receivers in all, in wall time. */
  readonly advanceWaitMs?: number | undefined
  /** How long nobody calls a merchant that a call made before it is removed, in wall time; never by default. */
  readonly forgetMs?: number | undefined
  /** An export, with which the default merchant of a new store begins, without its endpoints unless these are kept. */
  readonly from?: string | undefined
  readonly keepEndpoints?: boolean | undefined
  /** Where `default.test` is exported to at the end. */
  readonly exportOnExit?: string | undefined
  readonly holdWebhook?: GatewaySettings['holdWebhook']
  readonly relayWebhook?: RelayWebhook | undefined
  readonly warn?: ((message: string) => void) | undefined
  /** Processes with other settings serve the store now. This one serves nothing any more, and should stop. */
  readonly onRefused?: ((error: StartError) => void) | undefined
  readonly onBug?: ((cause: unknown) => void) | undefined
}

export type { RequestRecord } from './contract/control/journal.ts'

export interface AccountFacts {
  readonly id: string
  readonly merchant: string
  readonly environment: string
  readonly public_key: string
  readonly secret_key: string
}

/** A running gateway. It is the only code that combines engine and server. */
export class Simulator {
  private constructor(
    readonly gateway: Gateway,
    readonly requests: RequestLog,
    private readonly address: { readonly listen: string; readonly url: string },
    readonly controlUrl: string,
    readonly controlToken: string,
    private readonly signInLinks: SignInLinks,
    private readonly store: Store,
    private readonly apps: readonly App[],
    private readonly forwarder: Forwarder | undefined,
    private readonly unused: UnusedMerchants | undefined,
    private readonly exportOnExit: string | undefined,
  ) {}

  static async start(options: SimulatorOptions, open = storeOf): Promise<Simulator> {
    if (options.keepEndpoints && options.from === undefined)
      throw new StartError(
        'the endpoints to keep are those of an export: give --from with --keep-endpoints',
        2,
      )
    if (options.exportOnExit !== undefined) {
      if (options.historyMs !== undefined)
        throw new StartError('an export needs the whole history: leave out --export-on-exit or --history', 2)
      await demandWritable(options.exportOnExit)
    }
    const standards = readStandards(options)
    const store = await open(options).catch(refusedBy(options))
    try {
      return await Simulator.#open(options, standards, store)
    } catch (cause) {
      await store.release()
      return refusedBy(options)(cause)
    }
  }

  static async #open(options: SimulatorOptions, standards: Standards, store: Store): Promise<Simulator> {
    const warn = options.warn ?? (() => {})
    const host = options.host ?? '127.0.0.1'
    const controlToken = await agreeOn(store, options, standards, host)
    const webhookHosts = readWebhookHosts(options.allowWebhooks)
    const sender = new WebhookSender(webhookHosts, options.relayWebhook)
    let url = ''
    let controlUrl = ''
    const gateway = new Gateway({
      store,
      ...standards,
      seed: options.seed ?? null,
      time: new RealTime(SYSTEM_CLOCKS),
      baseUrl: () => options.publicUrl ?? url,
      webhooks: sender,
      holds: new Holds(SYSTEM_CLOCKS.wall),
      advanceWaitMs: options.advanceWaitMs ?? ADVANCE_WAIT_MS,
      holdWebhook: options.holdWebhook,
      warn,
    })
    const requests = new RequestLog()
    const apart = options.controlPort !== undefined
    const { holders } = store
    const signInLinks = new SignInLinks(() => `${controlUrl}/dashboard`, holders)
    const forwarder = holders && (await openForwarder({ holders, self: () => url, app: () => apps[0] }))
    const removeMerchant = async (id: string) => {
      await gateway.removeMerchant(id)
      for (const account of accountsOf(id)) requests.removed(account)
    }
    const unused =
      options.forgetMs === undefined
        ? undefined
        : new UnusedMerchants({
            afterMs: options.forgetMs,
            monotonic: SYSTEM_CLOCKS.monotonic,
            remove: removeMerchant,
            tell: warn,
          })
    const settings = {
      gateway,
      unused,
      removeMerchant,
      forwarder,
      requests,
      streams: new EventStreams(),
      faultBoxes: new FaultBoxes(),
      controlToken,
      signInLinks,
      allowHosts: [...(options.allowHosts ?? []), ...hostsOf(options.publicUrl), host],
      webhookHosts,
      visit: (page: string) =>
        sender.visit(page, LONGEST_VISIT_MS, [url, controlUrl, options.publicUrl ?? url]),
      merchantUrl: () => url,
      publicUrl: options.publicUrl,
      controlPort: () => (apart ? Number(new URL(controlUrl).port) : null),
      onBug: options.onBug ?? (cause => warn(described(cause))),
    }
    const apps: App[] = [new App({ ...settings, surfaces: { merchant: true, control: !apart } })]
    if (apart) apps.push(new App({ ...settings, surfaces: { merchant: false, control: true } }))
    try {
      const [main, control] = apps
      const onMerchantBound = (address: string) => {
        url = address
        if (!apart) controlUrl = `${address}/_paysim`
      }
      const place = { host, name: 'port', onBound: onMerchantBound } as const
      const { port = 7297 } = options
      // A long list of merchants is read while `health` answers. It names the last port, if that is wanted.
      const bound = port === 0 ? undefined : await listen(main, { ...place, port })
      await gateway.open()
      await gateway.rememberPort(bound ?? (await listenAgain(main, place, gateway.lastPort)))
      const onControlBound = (address: string) => {
        controlUrl = `${address}/_paysim`
      }
      if (apart)
        await listen(control, {
          host,
          port: options.controlPort ?? 0,
          name: 'control port',
          onBound: onControlBound,
        })
      await openDefaultMerchant(gateway, options)
      await gateway.load()
      const simulator = new Simulator(
        gateway,
        requests,
        { listen: url, url: options.publicUrl ?? url },
        controlUrl,
        controlToken,
        signInLinks,
        store,
        apps,
        forwarder,
        unused,
        options.exportOnExit,
      )
      await store.announce({ pid: process.pid, ...simulator.facts(), advertise: options.advertise })
      const opened = openedBy(host, url, controlUrl)
      if (opened !== undefined) warn(opened)
      return simulator
    } catch (cause) {
      await Promise.all(apps.map(app => app.close()))
      await forwarder?.close()
      await gateway.close()
      throw cause
    }
  }

  /** The address for merchants and payers. */
  get url(): string {
    return this.address.url
  }

  /** The catalogue of accounts without their own. */
  get catalogue(): CatalogueData {
    return this.gateway.catalogue.data
  }

  get accounts(): AccountFacts[] {
    return this.gateway.merchants.flatMap(merchant =>
      ENVIRONMENTS.flatMap(environment => {
        const [keys] = merchant.accounts[environment].keys
        if (!keys) return []
        const { publicKey: public_key, secretKey: secret_key } = keys
        return {
          id: accountId(merchant.id, environment),
          merchant: merchant.id,
          environment,
          public_key,
          secret_key,
        }
      }),
    )
  }

  /** The contents of the ready line and of `server.json`. */
  facts() {
    return {
      ...this.address,
      node: this.store.holders?.node ?? `${hostname()}-${process.pid}`,
      control_url: this.controlUrl,
      control_token: this.controlToken,
      dashboard_url: `${this.controlUrl}/dashboard/`,
      data_dir: this.store.path ?? null,
      store: this.store.url,
      accounts: this.accounts,
    }
  }

  /** A link that signs a browser in to the dashboard, once. */
  newSignInLink(): string {
    return this.signInLinks.issue().url
  }

  /** Answers a call of the control surface that this process makes itself. Undefined if it needs a connection. */
  async answer(request: LocalRequest): Promise<WireAnswer | undefined> {
    // Another process may have to answer it.
    return this.forwarder ? undefined : this.apps.at(-1)?.answer(request)
  }

  /** Applies a script to the default merchant. */
  script(script: Script): Promise<void> {
    return applyScript(this.gateway, DEFAULT_MERCHANT, script)
  }

  async stop(): Promise<void> {
    const departure = this.store.holders?.departure
    this.unused?.stop()
    this.gateway.holds.end()
    await departure?.prepare()
    for (const app of this.apps) app.endStreams()
    await departure?.begin()
    if (departure) await Promise.all(this.apps.map(app => app.listener.retire()))
    const cutOff = await Promise.all(this.apps.map(app => app.close()))
    if (cutOff.every(calls => calls === 0)) await departure?.answeredAll()
    await this.forwarder?.close()
    try {
      await this.#export()
    } finally {
      await this.gateway.close()
      await this.store.release()
    }
  }

  async #export(): Promise<void> {
    if (this.exportOnExit === undefined) return
    const runtime = await this.gateway.account(accountId(DEFAULT_MERCHANT, 'test'))?.open()
    if (!runtime)
      throw new StartError(`nothing was exported to ${this.exportOnExit}: the default merchant was removed`)
    await writeSnapshot(runtime, this.exportOnExit)
  }
}

/** Returns the control token. Processes that serve one store share it, and every setting that callers can notice. */
async function agreeOn(
  store: Store,
  { controlToken, publicUrl = '', onRefused }: SimulatorOptions,
  { contract, catalogue }: Standards,
  host: string,
): Promise<string> {
  const choose = () => chooseControlToken(controlToken, host)
  if (!store.agree) return choose()
  const token = { name: 'control token', given: controlToken && choose(), otherwise: newControlToken }
  const same = (name: string, value: string) => ({ name, given: value, otherwise: () => value })
  const settings = [
    token,
    same('contract', digestOf(Buffer.from(JSON.stringify(contract)))),
    same('catalogue', digestOf(Buffer.from(JSON.stringify(catalogue.data)))),
    same('public URL', publicUrl),
  ]
  const agreed = await store.agree(settings, onRefused)
  // A token that is kept is held to the same rules, since this server may be open to a network.
  return chooseControlToken(agreed.get(token.name), host)
}

/** Loaded only where several processes serve one store. */
async function openForwarder(settings: ConstructorParameters<typeof Forwarder>[0]): Promise<Forwarder> {
  const { Forwarder } = await import('./server/cluster/forwarder.ts')
  return new Forwarder(settings)
}

/** Only a bug is printed with its stack. A problem that the user must correct is one line. */
function described(cause: unknown): string {
  if (cause instanceof StartError) return cause.message
  return String(cause instanceof Error ? cause.stack : cause)
}

const storeOf = (options: SimulatorOptions) =>
  openStore(options, {
    sync: options.durability !== 'process',
    historyMs: options.historyMs,
    time: SYSTEM_CLOCKS,
    warn: options.warn ?? (() => {}),
  })

const hostsOf = (url: string | undefined) => (url === undefined ? [] : [new URL(url).hostname])

function readWebhookHosts(allowed: SimulatorOptions['allowWebhooks']): WebhookHosts {
  try {
    return new WebhookHosts(allowed)
  } catch (cause) {
    if (cause instanceof WebhookHostError) throw new StartError(`cannot allow webhooks: ${cause.message}`, 2)
    throw cause
  }
}

/** Creates the default merchant in a new data directory. An explicit clock is also set in an existing one. */
async function openDefaultMerchant(gateway: Gateway, options: SimulatorOptions): Promise<void> {
  const setup = options.clock && { clock: { mode: options.clock } }
  const { from } = options
  const snapshot = from === undefined ? undefined : await readSnapshot(from)
  const isNew = gateway.merchants.length === 0
  if (isNew)
    await gateway
      .createMerchant({ id: DEFAULT_MERCHANT, name: 'Default', setup })
      // Several processes may start at once on an empty database, and another one has created the merchant.
      .catch(cause => {
        if (!(cause instanceof MerchantTakenError) || snapshot) throw cause
        return gateway.refresh()
      })
  else if (snapshot)
    throw new StartError(
      `cannot start from ${from}: the store has merchants already; use a new one, or import the file with \`paysim sim import\``,
      2,
    )
  if (snapshot) await begin(gateway, snapshot, options)
  if (setup && (snapshot || !isNew)) await applyScript(gateway, DEFAULT_MERCHANT, setup)
}

/** If it fails, the store is as empty as before. */
async function begin(
  gateway: Gateway,
  { archive, environment }: Snapshot,
  { from, keepEndpoints }: SimulatorOptions,
): Promise<void> {
  const runtime = await gateway.account(accountId(DEFAULT_MERCHANT, environment))?.open()
  try {
    if (runtime) await gateway.adopt(runtime, archive, keepEndpoints ?? false)
  } catch (cause) {
    await gateway.removeMerchant(DEFAULT_MERCHANT)
    throw new StartError(`cannot start from ${from}: its entries are not consistent: ${reasonOf(cause)}`, 2)
  }
}
