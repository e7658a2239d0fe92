import type { Catalogue, CatalogueRoute } from '../../contract/control/catalogue.ts'
import { memberAt } from '../../contract/json.ts'
import { ACTION_TYPES, type ActionType, PAYER_FIELDS } from '../../contract/resources.ts'
import { CHECKOUT_MODES, type CheckoutMode } from '../../contract/statuses.ts'
import type { AccountSettings, SimulatedAccount } from '../../library/running-simulator.ts'
import { startSimulator } from '../../library/start-simulator.ts'
import { CANCELLED_BY, inquire, type ProbeOptions } from '../probe/probe.ts'
import { DISCOVERIES, TOO_MUCH } from '../probe/reads.ts'
import type { Answered, Recording } from './compare.ts'
import { recordingOf } from './recording.ts'

/** What a simulator answers to the same requests, with a contract. */
export const askSimulator = (
  server: Recording,
  contract: Readonly<Record<string, unknown>>,
  { allowWrites, createPath, signal }: Pick<ProbeOptions, 'allowWrites' | 'createPath' | 'signal'>,
): Promise<Recording> =>
  withMirror(server, contract, async ({ baseUrl, publicKey, secretKey, clock }) => {
    const keys = { publicKey, secretKey }
    const sleep = async (ms: number) => void (await clock.advance(`${ms}ms`))
    return recordingOf(await inquire({ baseUrl, keys, allowWrites, createPath, signal, proxy: false, sleep }))
  })

/**
 * Starts a simulator with a contract. Its account offers the methods that the server listed, and can do what the server
 * could: those are the merchant's settings, and no difference.
 */
export async function withMirror<T>(
  server: Recording,
  contract: Readonly<Record<string, unknown>>,
  use: (account: SimulatedAccount) => Promise<T>,
): Promise<T> {
  const sim = await startSimulator({ contract })
  try {
    return await use(await sim.createAccount({ ...settingsLike(server), clock: 'virtual', webhooks: false }))
  } finally {
    await sim.stop()
  }
}

const answerTo = ({ requests }: Recording, name: string): Answered | undefined => {
  const recorded = requests[name]
  return recorded && 'status' in recorded ? recorded : undefined
}

const bodyOf = (server: Recording, name: string) => answerTo(server, name)?.body

function settingsLike(server: Recording): AccountSettings {
  const methods = new Map<string, Catalogue['methods'][number]>()
  const routes = new Map<string, CatalogueRoute>()
  for (const name of DISCOVERIES) {
    const mode = name === 'merchant methods' ? 'merchant' : 'hosted'
    const body = bodyOf(server, name)
    for (const listed of listOf(memberAt(body, 'methods'))) {
      const [country, currency] = [memberAt(body, 'country'), memberAt(body, 'currency')].map(String)
      const route = routeLike(server, listed, { country: country ?? '', currency: currency ?? '', mode })
      if (!route) continue
      const id = `${route.method} ${route.country}`
      const known = routes.get(id)
      methods.set(route.method, methodLike(route.method, listed))
      routes.set(
        id,
        // What merchant mode shows is the action itself; hosted mode always redirects.
        known
          ? { ...(mode === 'merchant' ? route : known), id, checkout_modes: [...CHECKOUT_MODES] }
          : { ...route, id },
      )
    }
  }
  return {
    checkoutModes: modesOf(server),
    catalogue: {
      providers: [{ id: PROVIDER }],
      methods: [...methods.values()],
      routes: [...routes.values()],
    },
  }
}

const PROVIDER = 'mirror'

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [])
const textOr = (value: unknown, otherwise: string): string =>
  typeof value === 'string' && value !== '' ? value : otherwise

function methodLike(code: string, listed: unknown): Catalogue['methods'][number] {
  return {
    code,
    label: textOr(memberAt(listed, 'label'), code),
    category: textOr(memberAt(listed, 'category'), 'bank_transfer'),
    banks: listOf(memberAt(listed, 'options', 'banks')).flatMap(bank => {
      const id = memberAt(bank, 'code')
      return typeof id === 'string' ? [{ code: id, label: textOr(memberAt(bank, 'label'), id) }] : []
    }),
  }
}

interface Offer {
  readonly country: string
  readonly currency: string
  readonly mode: CheckoutMode
}

/** Undefined if no simulator could offer such a method; then the lists differ. */
function routeLike(
  server: Recording,
  listed: unknown,
  { country, currency, mode }: Offer,
): CatalogueRoute | undefined {
  const code = memberAt(listed, 'code')
  const [type] = listOf(memberAt(listed, 'next_action_types'))
  const action = ACTION_TYPES.find(one => one === type)
  if (typeof code !== 'string' || code === '' || !action) return undefined
  const { banks = [] } = methodLike(code, listed)
  return {
    id: code,
    provider: PROVIDER,
    method: code,
    local_code: code,
    environments: ['test'],
    country,
    currency,
    checkout_modes: [mode],
    action: mode === 'hosted' ? hidden(listed, action) : action,
    payer: payerLike(listed),
    banks: Object.fromEntries(banks.map(bank => [bank.code, bank.code])),
    ...abilitiesOf(server, code),
    ...(listOf(memberAt(bodyOf(server, 'methods for too much'), 'methods')).length > 0
      ? {}
      : { max_amount: TOO_MUCH.slice(1) }),
  }
}

/** Hosted mode does not show what a method does after it was chosen. */
const hidden = (listed: unknown, action: ActionType): ActionType =>
  action === 'redirect_to_url' && memberAt(listed, 'category') === 'bank_transfer'
    ? 'display_bank_transfer_instructions'
    : action

/** If all keys are listed, those that are not required may be listed only because the server lists all. */
function payerLike(listed: unknown): NonNullable<CatalogueRoute['payer']> {
  const keys = PAYER_FIELDS.flatMap(field => {
    const required = memberAt(listed, 'options', 'payer', field, 'required')
    return typeof required === 'boolean' ? [[field, required] as const] : []
  })
  return Object.fromEntries(
    keys.length < PAYER_FIELDS.length ? keys : keys.filter(([, required]) => required),
  )
}

/** What the payments with this method could do. */
function abilitiesOf(server: Recording, method: string): Pick<CatalogueRoute, 'receipt' | 'cancel_pending'> {
  const made = Object.keys(server.requests).filter(name => {
    const body = bodyOf(server, name)
    return memberAt(body, 'object') === 'payment_intent' && memberAt(body, 'payment_method') === method
  })
  const takesReceipt = made.some(
    name => typeof memberAt(bodyOf(server, name), 'receipt', 'status') === 'string',
  )
  const refused = made.some(name =>
    [`cancel ${name}`, CANCELLED_BY[name] ?? ''].some(
      cancel => answerTo(server, cancel)?.code === 'provider_capability_unsupported',
    ),
  )
  return { receipt: takesReceipt ? 'required' : 'none', cancel_pending: !refused }
}

/** Which checkout modes the merchant's policy allows. */
function modesOf(server: Recording): CheckoutMode[] {
  const denies = (name: string) => answerTo(server, name)?.code === 'checkout_mode_not_allowed'
  const [hosted, merchant] = ['methods', 'merchant methods'].map(
    name => listOf(memberAt(bodyOf(server, name), 'methods')).length,
  )
  const isDenied = {
    hosted: denies('methods') || (hosted === 0 && denies(DENIED)),
    merchant: denies('merchant methods') || (merchant === 0 && denies(DENIED)),
  }
  return CHECKOUT_MODES.filter(mode => !isDenied[mode])
}

const DENIED = 'creation in the mode without methods'
