import type { ProviderRule } from '../../contract/control/rules.ts'
import type { Contract } from '../../contract/decisions.ts'
import { isStandardEvent } from '../../contract/event-names.ts'
import type { CheckoutMode, Environment, PaymentTrigger } from '../../contract/statuses.ts'
import { apply } from '../../domain/apply.ts'
import type { CatalogueData } from '../../domain/catalogue.ts'
import type { DomainEvent, Entry, EventOf } from '../../domain/events.ts'
import type { Payment, Payout } from '../../domain/model.ts'
import { paymentFacts, payoutFacts } from '../../domain/rules/condition.ts'
import { type Links, paymentView, payoutView } from '../../domain/views.ts'
import { MutableWorld } from '../../domain/world.ts'
import { type Need, planFor, type Settings } from './provider.ts'

/** What is known of some payments and payouts of one account. */
export interface History {
  readonly environment: Environment
  readonly contract: Contract
  /** The payments and payouts. */
  readonly ids: readonly string[]
  /** The entries of the journal that name one of them, or an asset that was a receipt of one, in order. */
  readonly entries: readonly Entry[]
  /** The catalogue in force, for the names of methods that are not in the standard one. */
  readonly catalogue: CatalogueData
  /** The catalogue of an account that has none of its own. */
  readonly standard: CatalogueData
}

/** All entries that name one of the records, or an asset that was a receipt of one, in order. */
export async function entriesAbout(
  ids: readonly string[],
  historyOf: (id: string) => Promise<readonly Entry[]>,
): Promise<Entry[]> {
  const entries = new Map<number, Entry>()
  const gather = async (id: string) => {
    for (const entry of await historyOf(id)) entries.set(entry.seq, entry)
  }
  for (const id of ids) await gather(id)
  const submitted = [...entries.values()].flatMap(({ events }) =>
    events.flatMap(event =>
      event.type === 'ReceiptSubmitted' && ids.includes(event.payment) ? (event.asset ?? []) : [],
    ),
  )
  // Not the entries of other payments: an asset can be the receipt of only one.
  for (const asset of submitted)
    for (const entry of await historyOf(asset))
      if (entry.events.some(event => event.type === 'AssetStored')) entries.set(entry.seq, entry)
  return [...entries.values()].sort((a, b) => a.seq - b.seq)
}

/** A history that cannot be repeated, with the reason. */
export class NotRepeatableError extends Error {}

/** The id of what an earlier act made. */
export class IdOf {
  constructor(readonly name: string) {}
}

/** A time, in milliseconds after the first act. */
export class Moment {
  constructor(readonly sinceStartMs: number) {}
}

/** JSON in which every id of a record is an `IdOf`, and every time a `Moment`. All other texts are literal. */
export type Value = string | boolean | null | IdOf | Moment | readonly Value[] | Values
export interface Values {
  readonly [member: string]: Value
}

interface Failure {
  readonly code?: string
  readonly message?: string
}

/** What somebody did, or saw. Records have the names that `as` gave them; `seen` is what the answer must have. */
export type Act =
  | { act: 'create payment'; as: string; body: Values; key: string | undefined; seen: Values }
  | { act: 'choose'; payment: string; method: string; fields: Readonly<Record<string, string>> }
  /** By the payer, if it was done on a page that only the payer has. */
  | { act: 'trigger'; payment: string; trigger: PaymentTrigger; failure: Failure; byPayer: boolean }
  | { act: 'send receipt'; payment: string; image: string }
  | { act: 'submit receipt'; payment: string; image: string; key: string; seen: Values }
  | { act: 'submit asset'; payment: string; asset: string; seen: Values }
  | { act: 'cancel payment'; payment: string; key: string | undefined; seen: Values }
  | { act: 'upload asset'; as: string; image: string }
  | { act: 'create payout'; as: string; body: Values }
  | { act: 'move payout'; payout: string; to: 'approve' | 'succeed' | 'fail'; failure: Failure }
  | { act: 'cancel payout'; payout: string; reason: string | null; seen: Values }
  | { act: 'advance'; ms: number }
  /** `whole` is everything that is known of a record, also what the merchant API hides. */
  | { act: 'look'; at: string; kind: 'payment' | 'payout'; whole: boolean; seen: Values }
  | { act: 'webhooks'; seen: readonly Values[]; inOrder: boolean }
  | ({ act: 'set' } & Partial<Settings>)

/** Everything that a scenario or a test needs to repeat a history. */
export interface Story extends Settings {
  readonly name: string
  readonly environment: Environment
  readonly checkoutModes: readonly CheckoutMode[]
  readonly acts: readonly Act[]
}

/**
 * Who did what with some payments and payouts, when, and what was seen of them. All of it comes from the journal: the
 * creation has the request, and each intent has its own copy of its route and its rule. What changed nothing is not in the
 * journal, and left out: reads, refused calls and repeated ones.
 */
export const storyOf = (history: History): Story => new Teller(history).tell()

/** The events that change a record. */
type Change =
  | Extract<DomainEvent, { readonly payment: string } | { readonly payout: string }>
  | EventOf<'AssetStored'>

class Teller {
  readonly #world = new MutableWorld()
  readonly #acts: { readonly act: Act; readonly need?: Need }[] = []
  /** The names of payments, payouts and assets, by id. */
  readonly #names: ReadonlyMap<string, string>
  readonly #keys: Set<string>
  readonly #images = new Map<string, string>()
  readonly #webhooks: { readonly at: number; readonly seen: Values }[] = []
  readonly #lastSeen = new Map<string, Values>()
  /** The records that changed since somebody looked. */
  readonly #changed = new Set<string>()
  readonly #start: number
  #now: number

  constructor(private readonly history: History) {
    this.#names = namesIn(history)
    this.#keys = new Set(history.entries.flatMap(entry => keyIn(entry) ?? []))
    this.#start = history.entries[0]?.at ?? 0
    this.#now = this.#start
  }

  tell(): Story {
    for (const entry of this.history.entries) this.#hear(entry)
    this.#look()
    const { payments, payouts } = this.#world
    const records = [...this.#names.keys()].flatMap(id => payments.get(id) ?? payouts.get(id) ?? [])
    for (const record of records) this.#tellEnd(record)
    const times = new Set(this.#webhooks.map(({ at }) => at))
    const seen = this.#webhooks.map(webhook => webhook.seen)
    this.#acts.push({ act: { act: 'webhooks', seen, inOrder: times.size === seen.length } })
    const plan = planFor(
      this.#acts.flatMap(({ need }) => need ?? []),
      this.history,
    )
    return {
      name: nameOf(records.map(one => `${this.#seen(one).status}: ${one.merchantReference ?? kindOf(one)}`)),
      environment: this.history.environment,
      checkoutModes: [...new Set([...payments.values()].map(({ checkoutMode }) => checkoutMode))],
      rules: plan.rules,
      catalogue: plan.catalogue,
      acts: this.#acts.flatMap(({ act, need }) => {
        const change = need && plan.changes.get(need)
        return change && Object.keys(change).length > 0 ? [{ act: 'set', ...change }, act] : [act]
      }),
    }
  }

  #hear(entry: Entry): void {
    const { at, by, events } = entry
    const changes = events.filter((event): event is Change => this.#isOurs(event))
    const [first] = changes
    if (!first) return
    if (at > this.#now || by !== 'timer') this.#look()
    if (at > this.#now) this.#acts.push({ act: { act: 'advance', ms: at - this.#now } })
    this.#now = Math.max(this.#now, at)
    apply(this.#world, { ...entry, events: changes })
    for (const event of changes) if (event.type !== 'AssetStored') this.#changed.add(idIn(event))
    for (const event of events) if (event.type === 'EventEmitted') this.#noteWebhook(event)
    if (by !== 'timer') this.#acts.push(this.#tell(first, entry, changes))
  }

  #isOurs(event: DomainEvent): boolean {
    if (event.type === 'AssetStored') return this.#names.has(event.asset)
    return ('payment' in event || 'payout' in event) && this.#names.has(idIn(event))
  }

  #noteWebhook({ name, subject }: EventOf<'EventEmitted'>): void {
    // Sent by hand, it is about no record.
    if ('data' in subject) return
    const record = this.#record(idIn(subject))
    if (!record || !isStandardEvent(name)) return
    const { status = null } = this.#seen(record)
    const seen = { type: name, 'data.id': this.#id(idIn(subject)), 'data.status': status }
    this.#webhooks.push({ at: this.#now, seen })
  }

  /** The first event of an entry says what was done. */
  #tell(first: Change, entry: Entry, changes: readonly Change[]): { act: Act; need?: Need } {
    if (first.type === 'AssetStored')
      return {
        act: { act: 'upload asset', as: this.#name(first.asset), image: this.#image(first.digest) },
      }
    const id = idIn(first)
    const payment = this.#name(id)
    const payout = payment
    const key = keyIn(entry)
    const byPayer = entry.by === 'payer' && this.#hasPage(id)
    switch (first.type) {
      case 'PaymentCreated':
        return this.#tellCreation(first, key, changes)
      case 'RouteFrozen':
        return this.#tellChoice(first)
      case 'ReceiptSubmitted':
        return { act: this.#tellReceipt(first, key, byPayer) }
      case 'CancelRequested':
        return { act: { act: 'cancel payment', payment, key, seen: this.#news(id) } }
      case 'PayoutCreated':
        return this.#tellPayout(first)
      case 'PayoutCancelled':
        return { act: { act: 'cancel payout', payout, reason: first.reason, seen: this.#news(id) } }
      case 'PayoutApproved':
      case 'PayoutSucceeded':
      case 'PayoutFailed':
        return { act: { act: 'move payout', payout, to: MOVES[first.type], failure: failureOf(first) } }
      default: {
        const trigger = TRIGGERS[first.type]
        return { act: { act: 'trigger', payment, trigger, failure: failureOf(first), byPayer } }
      }
    }
  }

  #tellCreation(created: EventOf<'PaymentCreated'>, key: string | undefined, changes: readonly Change[]) {
    const { payment, amount, currency, country, checkoutMode, merchantReference, returnUrl } = created
    const frozen = changes.find(event => event.type === 'RouteFrozen')
    const body: Values = {
      amount,
      currency,
      country,
      checkout_mode: checkoutMode,
      ...(merchantReference === null ? {} : { merchant_reference: merchantReference }),
      ...(frozen ? { payment_method: frozen.route.method } : {}),
      ...(isEmpty(frozen?.options) ? {} : { payment_method_options: textsOf(frozen?.options) }),
      ...(returnUrl === null ? {} : { return_url: returnUrl }),
      customer: textsOf(created.customer),
    }
    const act: Act = { act: 'create payment', as: this.#name(payment), body, key, seen: this.#news(payment) }
    return { act, need: this.#needOf(payment, frozen) }
  }

  #tellChoice(frozen: EventOf<'RouteFrozen'>) {
    const { payment, route, options, customer = {} } = frozen
    const before = eventOf('PaymentCreated', payment, this.history)?.customer ?? {}
    const fields = textsOf({
      ...options,
      customer_name: customer.name === before.name ? undefined : customer.name,
      customer_phone: customer.phone === before.phone ? undefined : customer.phone,
    })
    const act: Act = { act: 'choose', payment: this.#name(payment), method: route.method, fields }
    return { act, need: this.#needOf(payment, frozen) }
  }

  #tellReceipt(
    { payment: id, digest, asset }: EventOf<'ReceiptSubmitted'>,
    key: string | undefined,
    byPayer: boolean,
  ): Act {
    const payment = this.#name(id)
    const image = this.#image(digest)
    if (byPayer) return { act: 'send receipt', payment, image }
    const seen = this.#news(id)
    if (asset !== null) return { act: 'submit asset', payment, asset: this.#name(asset), seen }
    return { act: 'submit receipt', payment, image, key: key ?? this.#newKey(), seen }
  }

  #tellPayout(created: EventOf<'PayoutCreated'>) {
    const { payout, amount, currency, country, merchantReference, recipient, status, createdAt } = created
    const body: Values = {
      amount,
      currency,
      country,
      merchant_reference: merchantReference,
      recipient: {
        bank_code: recipient.bankCode,
        holder_name: recipient.holderName,
        // Only the last four digits are kept.
        account_number: `000000${recipient.accountLast4}`,
      },
      status,
      ...(createdAt === undefined ? {} : { created_at: this.#moment(createdAt) }),
    }
    const facts = payoutFacts(
      { amount, currency, country, merchantReference, recipient },
      this.history.environment,
    )
    const act: Act = { act: 'create payout', as: this.#name(payout), body }
    return { act, need: { rule: { facts, is: ruleIn(created) } } }
  }

  /** Without a frozen route, the payer chooses later, or never. */
  #needOf(id: string, frozen: EventOf<'RouteFrozen'> | undefined): Need {
    const payment = this.#world.payments.get(id)
    if (!payment) return {}
    const { environment } = this.history
    const { amount, country, currency, checkoutMode, customer, options } = payment
    const wanted = { amount, country, currency, checkoutMode, environment }
    if (!frozen) return { route: { wanted, is: eventOf('RouteFrozen', id, this.history)?.route } }
    return {
      route: { wanted, is: frozen.route, choice: { customer, options } },
      rule: { facts: paymentFacts(payment, payment.route, environment), is: ruleIn(frozen) },
    }
  }

  /** What changed since the last look, as far as it was not in an answer. */
  #look(): void {
    for (const id of this.#changed) {
      const record = this.#record(id)
      if (!record) continue
      const act: Act = { act: 'look', at: this.#name(id), kind: kindOf(record), whole: false, seen: {} }
      this.#acts.push({ act: { ...act, seen: this.#news(id) } })
    }
  }

  /** The status, and what is not as it was at the last look. */
  #news(id: string): Values {
    const record = this.#record(id)
    const before = this.#lastSeen.get(id) ?? {}
    const now = record ? this.#seen(record) : {}
    this.#lastSeen.set(id, now)
    this.#changed.delete(id)
    return Object.fromEntries(
      Object.entries(now).filter(([member, value]) => member === 'status' || before[member] !== value),
    )
  }

  /** What people look at first. */
  #seen(record: Payment | Payout): Values {
    if ('recipient' in record) {
      const { status, failure_code, failure_message } = payoutView(record, this.history)
      return present({ status, failure_code, failure_message })
    }
    const view = paymentView(record, { ...this.history, links: NO_LINKS })
    const { status, next_action: action, receipt, failure_code, failure_message } = view
    return {
      status,
      ...(action ? { 'next_action.type': action.type } : { next_action: null }),
      ...present({
        'receipt.status': receipt?.status,
        'receipt.failure_message': receipt?.status === 'rejected' ? receipt.failure_message : null,
        failure_code,
        failure_message,
      }),
    }
  }

  /** Everything at the end, so that a change of anything that was sent is noticed. */
  #tellEnd(record: Payment | Payout): void {
    const { amount, currency, country, sortKey, updatedAt } = record
    const common = {
      amount,
      currency,
      country,
      ...present({ merchant_reference: record.merchantReference, rule: record.script.rule }),
      created_at: this.#moment(sortKey.createdAt),
      updated_at: this.#moment(updatedAt),
    }
    const seen: Values =
      'recipient' in record
        ? {
            ...common,
            recipient: present({ ...payoutView(record, this.history).recipient }),
            ...present({ cancel_reason: record.cancelReason }),
          }
        : {
            ...common,
            checkout_mode: record.checkoutMode,
            ...present({
              payment_method: paymentView(record, { ...this.history, links: NO_LINKS }).payment_method,
              return_url: record.returnUrl,
            }),
            ...(isEmpty(record.customer) ? {} : { customer: textsOf(record.customer) }),
            ...(isEmpty(record.options) ? {} : { payment_method_options: textsOf(record.options) }),
            ...(record.cancelled ? { cancelled: true } : {}),
            expires_at: this.#moment(record.expiresAt),
          }
    const at = this.#name(sortKey.id)
    const whole = { ...this.#seen(record), ...seen }
    this.#acts.push({ act: { act: 'look', at, kind: kindOf(record), whole: true, seen: whole } })
  }

  #record = (id: string) => this.#world.payments.get(id) ?? this.#world.payouts.get(id)
  #name = (id: string) => this.#names.get(id) ?? ''
  #id = (id: string) => new IdOf(this.#name(id))
  #moment = (at: number) => new Moment(at - this.#start)

  /** A payer has a page in hosted mode, and that of the bank. */
  #hasPage(id: string): boolean {
    const payment = this.#world.payments.get(id)
    return payment?.checkoutMode === 'hosted' || payment?.instrument?.type === 'redirect_to_url'
  }

  /** The same image has the same name. */
  #image(digest: string): string {
    const name = this.#images.get(digest) ?? `receipt ${this.#images.size + 1}`
    this.#images.set(digest, name)
    return name
  }

  /** An upload needs a key, which an older journal may not have. */
  #newKey(): string {
    for (let nth = 1; ; nth++) {
      const key = `receipt-${nth}`
      if (this.#keys.has(key)) continue
      this.#keys.add(key)
      return key
    }
  }
}

/** What somebody does to a payment, by what then happens first. */
const TRIGGERS = {
  ActionPresented: 'present-action',
  ActionWithdrawn: 'withdraw-action',
  ReceiptAccepted: 'accept-receipt',
  ReceiptRejected: 'reject-receipt',
  PaymentSucceeded: 'succeed',
  PaymentFailed: 'fail',
  PaymentExpired: 'expire',
  PaymentCancelled: 'confirm-cancel',
} as const
const MOVES = { PayoutApproved: 'approve', PayoutSucceeded: 'succeed', PayoutFailed: 'fail' } as const

const failureOf = (event: Change): Failure =>
  'failure' in event ? (event.failure ?? {}) : 'message' in event ? { message: event.message } : {}

/** Addresses depend on the server, so no story has any. */
const NO_LINKS: Links = { hostedPage: () => '', bankPage: () => '', qrImage: () => '', qrImageData: () => '' }

const idIn = (of: { readonly payment: string } | { readonly payout: string }) =>
  'payment' in of ? of.payment : of.payout
const kindOf = (record: Payment | Payout) => ('recipient' in record ? 'payout' : 'payment')

const isEmpty = (value: object | undefined) => Object.keys(value ?? {}).length === 0

const present = (members: Readonly<Record<string, string | null | undefined>>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(members).flatMap(([member, value]) =>
      value === undefined || value === null ? [] : [[member, value]],
    ),
  )
const textsOf = (texts: object | undefined) => present({ ...texts })

const LONGEST_NAME = 60

/** The shop's names say more than ids. */
function nameOf(titles: readonly string[]): string {
  const [first = '', ...others] = titles.map(title => {
    const line = title.replace(/[\s\p{C}]+/gu, ' ').trim()
    return line.length > LONGEST_NAME ? `${[...line].slice(0, LONGEST_NAME).join('')}…` : line
  })
  return others.length > 2 ? `${first} and ${others.length} others` : [first, ...others].join(', ')
}

/** `payment`, or `payment_1` and so on if there are several, in the order of creation. */
function namesIn({ ids, entries }: History): Map<string, string> {
  const created = entries.flatMap(({ events }) => events.flatMap(madeBy))
  const wanted = created.filter(({ id, kind }) => kind === 'asset' || ids.includes(id))
  const missing = ids.find(id => wanted.every(one => one.id !== id))
  if (missing !== undefined)
    throw new NotRepeatableError(
      `the journal no longer has the creation of ${missing}, so what was done cannot be repeated`,
    )
  return new Map(
    wanted.map(({ id, kind }) => {
      const same = wanted.filter(one => one.kind === kind)
      const nth = same.findIndex(one => one.id === id) + 1
      return [id, same.length === 1 ? kind : `${kind}_${nth}`]
    }),
  )
}

function madeBy(event: DomainEvent) {
  if (event.type === 'PaymentCreated') return [{ id: event.payment, kind: 'payment' }]
  if (event.type === 'PayoutCreated') return [{ id: event.payout, kind: 'payout' }]
  return event.type === 'AssetStored' ? [{ id: event.asset, kind: 'asset' }] : []
}

/** The Idempotency-Key of the request that made an entry. A scope is a method, a path and the key. */
function keyIn({ events }: Entry): string | undefined {
  const kept = events.find(event => event.type === 'AnswerKept')
  return kept?.scope.split(' ').slice(2).join(' ')
}

const eventOf = <T extends 'PaymentCreated' | 'RouteFrozen'>(
  type: T,
  payment: string,
  { entries }: History,
) =>
  entries.flatMap(({ events }) => events).find(event => event.type === type && event.payment === payment) as
    | EventOf<T>
    | undefined

function ruleIn(event: EventOf<'RouteFrozen' | 'PayoutCreated'>): ProviderRule | undefined {
  if (event.rule || !event.script) return event.rule
  throw new NotRepeatableError(
    `an earlier version of paysim made ${idIn(event)}, and did not keep its rule, so what was done cannot be repeated`,
  )
}
