import type { PaymentIntent } from '../../../client/resources.ts'
import { memberAt } from '../../../contract/json.ts'
import { FINAL_STATUSES } from '../../../contract/statuses.ts'
import { formatMoney, plain } from '../members.ts'
import {
  drawRecord,
  drawRest,
  type Field,
  failureField,
  fieldOf,
  restFields,
  sections,
  timeField,
  titleOf,
} from '../record.ts'
import type { Screen } from '../screen.ts'
import { paintStatus, visible } from '../text.ts'
import { drawAny, type View } from '../view.ts'

export const paymentView: View<PaymentIntent> = {
  human: drawPayment,
  mayLack: [
    ...['processing_reason', 'receipt', 'failure_code', 'failure_message', 'return_url'],
    // Which of these a next action has depends on its type.
    ...['url', 'expires_at', 'bank', 'account', 'reference'],
    ...['qr_data', 'qr_image_url', 'qr_image_data_url'],
  ],
}

const KNOWN = [
  ...['id', 'object', 'amount', 'currency', 'country', 'checkout_mode', 'environment', 'merchant_reference'],
  ...['payment_method', 'status', 'processing_reason', 'next_action', 'receipt', 'failure_code'],
  ...['failure_message', 'created_at', 'updated_at', 'return_url'],
]

/** A payment whose cancellation was requested, without the next action: the payer must not pay any more. */
export const cancellationView: View<PaymentIntent> = {
  ...paymentView,
  human: (payment, screen) =>
    drawPayment({ ...payment, next_action: null }, screen, [cancellationField(payment)]),
}

function cancellationField({ status, failure_code }: PaymentIntent): Field {
  if (!FINAL_STATUSES.includes(status))
    return fieldOf(
      'cancellation',
      `requested: the payment stays ${plain(status)} until the provider confirms or refuses it`,
    )
  return fieldOf('cancellation', failure_code === 'payment_cancelled' ? 'confirmed' : undefined)
}

async function drawPayment(payment: unknown, screen: Screen, first: readonly Field[] = []): Promise<string> {
  if (memberAt(payment, 'id') === undefined) return drawAny(payment, screen)
  const member = (name: string) => memberAt(payment, name)
  const fields: Field[] = [
    ...first,
    { label: 'amount', value: formatMoney(member('amount'), member('currency')) },
    fieldOf('method', member('payment_method') ?? 'not chosen yet'),
    fieldOf('checkout', member('checkout_mode')),
    fieldOf('reference', member('merchant_reference')),
    fieldOf('country', member('country')),
    fieldOf('environment', member('environment')),
    fieldOf('processing', member('processing_reason')),
    receiptField(payment, screen),
    failureField('rejected for', member('receipt'), screen),
    failureField('failure', payment, screen),
    fieldOf('return URL', member('return_url'), { whole: true }),
    timeField('created', member('created_at'), screen),
    timeField('updated', member('updated_at'), screen),
    ...restFields(member('receipt'), ['status', 'failure_code', 'failure_message'], 'receipt.'),
  ]
  return sections(
    `${titleOf(payment, screen)}\n${drawRecord(fields, screen)}`,
    await drawNextAction(payment, screen),
    drawRest(payment, KNOWN, screen),
  )
}

function receiptField(payment: unknown, { paint }: Screen): Field {
  const receipt = memberAt(payment, 'receipt')
  const status = memberAt(receipt, 'status') ?? receipt
  return fieldOf('receipt', status, {
    paint: shown => paintStatus(status, paint, shown),
    // Only a pending payment accepts a receipt.
    note: memberAt(payment, 'status') === 'pending' ? NEXT_STEPS.get(plain(status)) : undefined,
  })
}

/** How to submit a receipt. */
const NEXT_STEPS: ReadonlyMap<string, string> = new Map([
  ['required', 'send it with `paysim payments submit-receipt`'],
  ['rejected', 'send another with `paysim payments submit-receipt`'],
])

/** What the payer has to do, with the QR code if there is one. */
async function drawNextAction(payment: unknown, screen: Screen): Promise<string> {
  const action = memberAt(payment, 'next_action')
  // A server may still send the action of a payment that has ended, but nobody must pay it.
  if (FINAL_STATUSES.some(status => status === memberAt(payment, 'status'))) return ''
  if (typeof action !== 'object' || action === null) return ''
  const draw = DRAWN.get(plain(memberAt(action, 'type')))
  if (!draw)
    return titled(
      `next action: ${plain(memberAt(action, 'type'))}`,
      screen,
      drawRecord(restFields(action, ['type']), screen),
    )
  return draw(action, payment, screen)
}

type Draw = (action: object, payment: unknown, screen: Screen) => string | Promise<string>

const DRAWN: ReadonlyMap<string, Draw> = new Map<string, Draw>([
  ['redirect_to_url', drawRedirect],
  ['display_qr_code', drawQrCode],
  ['display_bank_transfer_instructions', drawTransfer],
])

function drawRedirect(action: object, _payment: unknown, screen: Screen): string {
  const fields = [
    fieldOf('URL', memberAt(action, 'url'), { whole: true, paint: screen.paint.cyan }),
    timeField('until', memberAt(action, 'expires_at'), screen),
    ...restFields(action, ['type', 'url', 'expires_at']),
  ]
  return titled('next action: the payer opens a page', screen, drawRecord(fields, screen))
}

function drawQrCode(action: object, _payment: unknown, screen: Screen): string {
  const data = memberAt(action, 'qr_data')
  const symbol = typeof data === 'string' && data !== '' ? drawQr(data, screen) : ''
  const fields = [
    fieldOf('data', data, { whole: true }),
    fieldOf('image', memberAt(action, 'qr_image_url'), { whole: true }),
    fieldOf('image data', shortened(memberAt(action, 'qr_image_data_url'))),
    timeField('until', memberAt(action, 'expires_at'), screen),
    ...restFields(action, ['type', 'qr_data', 'qr_image_url', 'qr_image_data_url', 'expires_at']),
  ]
  return titled('next action: the payer scans a QR code', screen, symbol, drawRecord(fields, screen))
}

/** A data URL of an image has thousands of characters. */
function shortened(dataUrl: unknown): unknown {
  if (typeof dataUrl !== 'string' || dataUrl.length <= 60) return dataUrl
  return `${dataUrl.slice(0, 22)}… (${dataUrl.length} characters; --query next_action.qr_image_data_url prints them)`
}

function drawTransfer(action: object, payment: unknown, screen: Screen): string {
  const bank = memberAt(action, 'bank')
  const account = memberAt(action, 'account')
  const fields: Field[] = [
    fieldOf(
      'bank',
      memberAt(bank, 'label') ?? memberAt(bank, 'code') ?? bank,
      noteOf(memberAt(bank, 'code')),
    ),
    fieldOf('account name', memberAt(account, 'name')),
    fieldOf('account number', memberAt(account, 'number') ?? account),
    fieldOf('reference', memberAt(action, 'reference'), { paint: screen.paint.bold }),
    { label: 'amount', value: formatMoney(memberAt(payment, 'amount'), memberAt(payment, 'currency')) },
    timeField('until', memberAt(action, 'expires_at'), screen),
    ...restFields(bank, ['code', 'label'], 'bank.'),
    ...restFields(account, ['name', 'number'], 'account.'),
    ...restFields(action, ['type', 'bank', 'account', 'reference', 'expires_at']),
  ]
  return titled('next action: the payer transfers the money', screen, drawRecord(fields, screen))
}

const noteOf = (code: unknown) => (typeof code === 'string' ? { note: code } : {})

function titled(title: string, { paint }: Screen, ...parts: readonly string[]): string {
  return [paint.bold(visible(title)), ...parts.filter(Boolean)].join('\n')
}

/** Light modules around a symbol: the standard requires four, but scanners accept two on a narrow screen. */
const QUIET_ZONE = 4
const NARROW_QUIET_ZONE = 2

/** Whether the module in a column is dark. Light outside of the symbol. */
type Row = readonly boolean[]

/** The QR code of a text in half blocks, or a line that says why it is not drawn. */
export function drawQr(text: string, screen: Screen): string {
  // Not imported, because most payments that are shown have no code.
  const { encodeQR } = require('qr') as typeof import('qr')
  let rows: readonly Row[]
  try {
    rows = encodeQR(text, 'raw', { ecc: 'medium', border: QUIET_ZONE })
  } catch {
    return `(${Buffer.byteLength(text)} bytes are too many for a QR code)`
  }
  if (rows.length > screen.width) rows = withoutEdge(rows, QUIET_ZONE - NARROW_QUIET_ZONE)
  if (rows.length > screen.width)
    return `(the QR code needs ${rows.length} columns, but the screen has only ${screen.width})`
  return drawn(rows, screen)
}

const withoutEdge = (rows: readonly Row[], width: number) =>
  rows.slice(width, -width).map(row => row.slice(width, -width))

function drawn(rows: readonly Row[], { paint }: Screen): string {
  const coloured = paint.level > 0
  const paper = paint.bgHex('#ffffff').hex('#000000')
  // Without colours, a full block has the colour of the terminal's text. That is right on a dark screen. On a light one
  // it is the negative, which most scanners can read too.
  const inked = (dark = false) => dark === coloured
  const lines: string[] = []
  for (let y = 0; y < rows.length; y += 2) {
    const line = rows[y]?.map((upper, x) => halves(inked(upper), inked(rows[y + 1]?.[x]))).join('') ?? ''
    lines.push(coloured ? paper(line) : line)
  }
  return lines.join('\n')
}

function halves(upper: boolean, lower: boolean): string {
  if (upper) return lower ? '█' : '▀'
  return lower ? '▄' : ' '
}
