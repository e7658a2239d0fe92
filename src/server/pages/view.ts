import { exponentOf, formatMinor } from '../../contract/currencies.ts'
import { LIMITS } from '../../contract/limits.ts'
import { PAYER_FIELDS, type PayerField } from '../../contract/resources.ts'
import type { MethodEntry } from '../../domain/catalogue.ts'
import type { Payment } from '../../domain/model.ts'
import { routingTable } from '../../domain/routing.ts'
import type { AccountRuntime } from '../../engine/account/open-runtime.ts'
import { isGenuine, type PageKind, pagePath } from '../../engine/account/rendering.ts'
import type { Reply } from '../http/reply.ts'
import type { Request } from '../http/request.ts'
import { ReceiptRefusalError } from '../payer.ts'
import type { RefusalError } from '../refusal.ts'
import { backToShop, type Html, html, icon, type Live, sendPage } from './layout.ts'
import { bankName, keepLanguage, methodName, type Words, wordsFor } from './words/language.ts'

/** The data of a page. */
export interface View extends Opened {
  /** The problem of the submitted form. */
  readonly problem?: Problem
}

function chosenMethod({ runtime, payment }: View): MethodEntry | undefined {
  const code = payment.route?.method
  return code === undefined
    ? undefined
    : routingTable(runtime.account.world, runtime).catalogue.methods.get(code)
}

/** The label of the method, or its code if the catalogue no longer has it. */
export function methodShown(view: View): string | undefined {
  const method = chosenMethod(view)
  return method ? methodName(method, view.words) : view.payment.route?.method
}

/** The name of the chosen bank, otherwise that of the method. */
export function bankShown(view: View): { code: string; name: string } {
  const { payment, words } = view
  const code = payment.options.bank ?? ''
  const bank = chosenMethod(view)?.banks?.find(candidate => candidate.code === code)
  if (bank) return { code, name: bankName(bank, payment.country, words) }
  return { code, name: methodShown(view) ?? words.yourBank }
}

/** A form that is sent to the address of its page. */
export const form = ({ path }: View, act: string, inside: Html, kind: 'plain' | 'file' = 'plain'): Html =>
  html`<form method="post" action="${path}"${kind === 'file' ? html` enctype="multipart/form-data"` : ''} novalidate data-form>
<input type="hidden" name="act" value="${act}">
${inside}</form>`

export const isOpen = ({ outcome }: Payment) => outcome === null

/** Whether the payer has sent a receipt that was not rejected, and so has paid. */
export const hasSentReceipt = ({ receipt }: Payment) =>
  receipt?.status === 'processing' || receipt?.status === 'submitted'

/** Whether the payer must act now. */
export const waitsForPayer = (payment: Payment) =>
  isOpen(payment) && payment.action !== null && payment.cancelRequestedAt === null && !hasSentReceipt(payment)

interface Money {
  readonly amount: string
  readonly currency: string
}

/** Formats an amount for a language. The digits stay a string, because an amount may be too long for a number. */
export function spellMoney({ amount, currency }: Money, { locale }: Words): string {
  const plain = formatMinor(amount, currency)
  const digits = exponentOf(currency)
  const exact = { minimumFractionDigits: digits, maximumFractionDigits: digits }
  // Intl accepts only currency codes of three letters, but a merchant may use longer ones.
  if (currency.length !== 3)
    return `${new Intl.NumberFormat(locale, exact).format(plain as `${number}`)} ${currency}`
  const style = { style: 'currency', currency, currencyDisplay: 'narrowSymbol' } as const
  return new Intl.NumberFormat(locale, { ...style, ...exact }).format(plain as `${number}`)
}

/** The amount for people, with its plain decimal number and currency as data attributes. */
export function money(sum: Money, words: Words): Html {
  const spelled = spellMoney(sum, words)
  const code = spelled.includes(sum.currency) ? '' : html` <span class="currency">${sum.currency}</span>`
  return html`<data class="money" value="${formatMinor(sum.amount, sum.currency)}">${spelled}${code}</data>`
}

/** A page that was opened with a valid address. */
export interface Opened {
  readonly kind: PageKind
  readonly runtime: AccountRuntime
  readonly payment: Payment
  readonly words: Words
  /** The address of this page. */
  readonly path: string
  readonly expiresAt: number | null
  /** The address of another page of this payment, in the same language. */
  readonly pathTo: (kind: PageKind, expiresAt: number | null) => string
  /** Whether the link has expired. */
  readonly isOver: (payment: Payment) => boolean
  /** The address of the update stream. */
  readonly livePath: string
}

/** Opens a page by its signed address. A changed address and an unknown payment have different pages. */
export function open(kind: PageKind, request: Request, reply: Reply): Opened | Reply {
  const { payment: id = '' } = request.params
  const { expires, signature } = request.query as { expires?: unknown; signature?: unknown }
  const words = wordsFor(request)
  const notice = (status: number, about: 'forged' | 'unknown') =>
    noticePage(reply, status, words, request.url, about)

  const { runtime } = request
  // The merchant may have been removed while a form was read.
  if (!runtime || runtime.removed) return notice(404, 'unknown')
  const { account } = runtime
  const expiresAt = typeof expires === 'string' && /^[1-9]\d{0,14}$/.test(expires) ? Number(expires) : null
  if (typeof signature !== 'string' || !isGenuine(account, kind, id, expiresAt, signature))
    return notice(403, 'forged')
  const payment = account.world.payments.get(id)
  if (!payment) return notice(404, 'unknown')
  // The end of a payment stays visible forever, and an action that was extended still needs its page.
  const isOver = ({ outcome, action }: Payment) =>
    expiresAt !== null && account.now >= expiresAt && outcome === null && action === null
  return {
    kind,
    runtime,
    payment,
    words,
    path: request.url,
    expiresAt,
    isOver,
    pathTo: (other, until) => keepLanguage(pagePath(account, other, id, until), request),
    livePath: pagePath(account, kind, id, expiresAt).replace('?', '/live?'),
  }
}

/** Shows why a form was refused. The typed text stays in the form. */
export interface Problem {
  readonly refusal: RefusalError
  readonly fields: ReadonlyMap<string, string>
}

/** The problems of the fields in a form, in words for the payer. */
export function fieldProblems({ refusal, fields }: Problem, words: Words): ReadonlyMap<PayerField, string> {
  const problems = new Map<PayerField, string>()
  for (const { field } of refusal.rejection.details ?? []) {
    const name = PAYER_FIELDS.find(known => known === field)
    if (name) problems.set(name, fieldProblem(name, fields.get(name)?.trim() ?? '', words))
  }
  return problems
}

function fieldProblem(field: PayerField, value: string, words: Words): string {
  if (value === '') return field === 'bank' ? words.bankRequired : words.fieldRequired
  if ([...value].length > LIMITS.textLength) return words.fieldTooLong(LIMITS.textLength)
  return field === 'bank' ? words.bankUnknown : words.refusals.other
}

export function receiptProblem({ refusal }: Problem, words: Words): string | undefined {
  if (!(refusal instanceof ReceiptRefusalError)) return undefined
  const wording = {
    missing: words.receiptMissing,
    too_large: words.receiptTooLarge,
    wrong_type: words.receiptWrongType,
  }
  return wording[refusal.kind]
}

/** The message at the top of the page, for a problem that belongs to no field. */
export function generalProblem(problem: Problem, words: Words): string | undefined {
  if (receiptProblem(problem, words) !== undefined || fieldProblems(problem, words).size > 0) return undefined
  switch (problem.refusal.rejection.code) {
    case 'invalid_state':
      return problem.fields.get('act') === 'receipt' ? words.receiptThere : words.refusals.invalid_state
    case 'payment_configuration_unavailable':
    case 'routing_unavailable':
      return words.refusals.unavailable
    case 'service_unavailable':
      return words.refusals.busy
    default:
      return words.refusals.other
  }
}

const MARKS = { forged: 'link', ended: 'clock', unknown: 'search' } as const

/** Explains why a link is no longer valid. Details of the payment are shown only if the link is genuine. */
export function noticePage(
  reply: Reply,
  status: number,
  words: Words,
  path: string,
  about: keyof typeof MARKS,
  genuine?: { readonly payment: Payment; readonly live: Live },
): Reply {
  const title = words[about]
  return sendPage(reply, status, words, path, {
    look: 'notice',
    title,
    header: html``,
    main: html`<section class="card ending">
<span class="mark neutral">${icon(MARKS[about])}</span>
<h1>${title}</h1>
<p class="lead">${words[`${about}Why`]}</p>
${genuine ? backToShop(genuine.payment, words, 'primary') : ''}</section>`,
    ...(genuine ? { live: genuine.live } : {}),
  })
}
