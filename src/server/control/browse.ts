import type { PaymentRow } from '../../contract/control/payments.ts'
import type { PayoutRow } from '../../contract/control/payouts.ts'
import { formatTimestamp } from '../../contract/timestamps.ts'
import { methodOf, type Payment, type Payout, statusOf } from '../../domain/model.ts'
import type { Request } from '../http/request.ts'
import { type ControlHandlers, runtimeNamed } from './control-call.ts'
import { anyOf, type Filter, listWindow, one, textIn, timeIn } from './list-window.ts'
import type { ControlSettings } from './settings.ts'

/** Lists for the dashboard: filtered, searched, in parts, with only the members that a row shows. */
export function browseCalls({ gateway }: ControlSettings) {
  return {
    'GET /accounts/:account/browse/payments': (request, answer) => {
      const { world } = runtimeNamed(gateway, request).account
      return answer(200, listWindow(request, world.payments, paymentFilter(request), paymentRow))
    },

    'GET /accounts/:account/browse/payouts': (request, answer) => {
      const { world } = runtimeNamed(gateway, request).account
      return answer(200, listWindow(request, world.payouts, payoutFilter(request), payoutRow))
    },
  } satisfies Partial<ControlHandlers>
}

function paymentFilter(request: Request): Filter<Payment> {
  const [status, mode, method, currency] = ['status', 'checkout_mode', 'method', 'currency'].map(name =>
    anyOf(request, name),
  )
  const text = textIn(request)
  const rule = one(request, 'rule')
  const isWanted = ({ sortKey: place, merchantReference, customer, script }: Payment) =>
    (rule === undefined || script.rule === rule) &&
    (!text || text(place.id, merchantReference, customer.name, customer.email))
  return {
    ...createdIn(request),
    shelf: ([ofStatus, ofMode, ofMethod, ofCurrency]) =>
      !!status?.(ofStatus) && !!mode?.(ofMode) && !!method?.(ofMethod) && !!currency?.(ofCurrency),
    record: rule === undefined && !text ? undefined : isWanted,
  }
}

function payoutFilter(request: Request): Filter<Payout> {
  const [country, currency, status] = ['country', 'currency', 'status'].map(name => anyOf(request, name))
  const text = textIn(request)
  const rule = one(request, 'rule')
  const isWanted = ({ sortKey: place, merchantReference, recipient, script }: Payout) =>
    (rule === undefined || script.rule === rule) &&
    (!text || text(place.id, merchantReference, recipient.holderName))
  return {
    ...createdIn(request),
    shelf: ([ofCountry, ofCurrency, ofStatus]) =>
      !!country?.(ofCountry) && !!currency?.(ofCurrency) && !!status?.(ofStatus),
    record: rule === undefined && !text ? undefined : isWanted,
  }
}

const createdIn = (request: Request) => ({
  createdFrom: timeIn(request, 'created_after', 0),
  createdBefore: timeIn(request, 'created_before', Number.POSITIVE_INFINITY),
})

const paymentRow = (payment: Payment): PaymentRow => ({
  id: payment.sortKey.id,
  amount: payment.amount,
  currency: payment.currency,
  country: payment.country,
  checkout_mode: payment.checkoutMode,
  merchant_reference: payment.merchantReference,
  payment_method: methodOf(payment),
  status: statusOf(payment),
  cancelled: payment.cancelled,
  cancelling: payment.outcome === null && payment.cancelRequestedAt !== null,
  receipt: payment.receipt?.status ?? null,
  failure_code: payment.failure?.code ?? null,
  customer_name: payment.customer.name ?? null,
  created_at: formatTimestamp(payment.sortKey.createdAt),
  updated_at: formatTimestamp(payment.updatedAt),
})

const payoutRow = (payout: Payout): PayoutRow => ({
  id: payout.sortKey.id,
  amount: payout.amount,
  currency: payout.currency,
  country: payout.country,
  merchant_reference: payout.merchantReference,
  status: payout.status,
  bank_code: payout.recipient.bankCode,
  holder_name: payout.recipient.holderName,
  account_last4: payout.recipient.accountLast4,
  failure_code: payout.failure?.code ?? null,
  created_at: formatTimestamp(payout.sortKey.createdAt),
  updated_at: formatTimestamp(payout.updatedAt),
})
