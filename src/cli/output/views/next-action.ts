import { FINAL_STATUSES } from '../../../client/wait.ts'
import { memberAt, plain } from '../members.ts'
import { formatMoney } from '../money.ts'
import { drawQr } from '../qr.ts'
import { drawRecord, type Field, fieldOf, restFields, timeField } from '../record.ts'
import type { Screen } from '../screen.ts'
import { visible } from '../text.ts'

/** What the payer has to do, with the QR code if there is one. */
export async function drawNextAction(payment: unknown, screen: Screen): Promise<string> {
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
