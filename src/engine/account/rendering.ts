import { constants } from 'node:zlib'
import type { Contract } from '../../contract/decisions.ts'
import type { Payment, Payout, WebhookEvent } from '../../domain/model.ts'
import { eventView, paymentView, payoutView, type ViewContext } from '../../domain/views.ts'
import { png } from '../../files/png.ts'
import { CacheBudget, Recent } from '../store/recent.ts'
import type { Account } from './account.ts'

/** Of all accounts together. */
export const RENDERED_BYTES = new CacheBudget(128 * 1024 * 1024)

/** A text, which may have two bytes a character, and about as much again for its record. */
const texts = { most: 65_536, budget: RENDERED_BYTES, sizeOf: (text: string) => 4 * text.length }
const images = { ...texts, most: 1024 }

/**
 * The page's address never changes, so it has no expiry except that of the page itself; a rule may move the action's
 * expiry.
 */
const pageEnd = ({ 'hosted.page': page }: Contract, createdAt: number) =>
  page === 'intent' ? null : createdAt + page

/**
 * An account's records as JSON text. A record object never changes, so its text is created once while it is in use.
 */
export class Rendering {
  readonly lens: ViewContext
  readonly #texts = new Recent<Payment | Payout, string>(texts)
  /** In base64, because small buffers share their memory, and one of them keeps all of it. */
  readonly #images = new Recent<string, string>(images)

  constructor(account: Account, contract: Contract, baseUrl: () => string) {
    this.lens = {
      environment: account.environment,
      contract,
      links: {
        hostedPage: ({ sortKey: place }) =>
          baseUrl() + pagePath(account, 'checkout', place.id, pageEnd(contract, place.createdAt)),
        bankPage: (payment, action) =>
          baseUrl() + pagePath(account, 'bank', payment.sortKey.id, action.expiresAt),
        qrImage: payment => baseUrl() + pagePath(account, 'qr', payment.sortKey.id, null),
        qrImageData: qrData => `data:image/png;base64,${this.#image(qrData)}`,
      },
    }
  }

  payment(payment: Payment): string {
    return this.#texts.get(payment, () => JSON.stringify(paymentView(payment, this.lens)))
  }

  payout(payout: Payout): string {
    return this.#texts.get(payout, () => JSON.stringify(payoutView(payout, this.lens)))
  }

  /** The body of a webhook: as it was sent, or as it would be sent now. */
  event(event: WebhookEvent): string {
    return event.body ?? JSON.stringify(eventView(event, this.lens))
  }

  qrImage(qrData: string): Buffer {
    return Buffer.from(this.#image(qrData), 'base64')
  }

  #image(qrData: string): string {
    return this.#images.get(qrData, text => qrImage(text).toString('base64'))
  }

  /** Forgets what is kept of the texts, because the budget would keep them when the account is gone. */
  close(): void {
    this.#texts.clear()
    this.#images.clear()
  }
}

/** A module has 4 pixels on each side: so it fills half a byte of a row, in which a pixel has one bit. */
const PIXELS = 4
const LEFT_HALF = 0xf0
const RIGHT_HALF = 0x0f
/** The filter of a row with the pixels of the row above. */
const AS_ABOVE = 2

/**
 * The QR code of a text as a PNG, with the quiet zone of 4 modules that the standard requires. Its mask is always the
 * same, because a decoder reads any, and to choose the best of all eight takes as long as to draw one. zlib looks only
 * for runs of one byte, which every version finds alike, and the filter makes runs of most rows.
 */
export function qrImage(text: string): Buffer {
  // Not imported, because a view is written at once, and most starts draw no image.
  const { encodeQR } = require('qr') as typeof import('qr')
  const modules = encodeQR(text, 'raw', { ecc: 'medium', mask: 2, border: 4 })
  const side = modules.length * PIXELS
  const rowLength = 1 + Math.ceil(side / 8)
  const rows = Buffer.alloc(rowLength * side)
  modules.forEach((row, y) => {
    const from = y * PIXELS * rowLength
    // A loop, because a function called for each module takes longer than to draw the code.
    for (let x = 0; x < row.length; x += 2)
      rows[from + 1 + (x >> 1)] = (row[x] ? 0 : LEFT_HALF) | (row[x + 1] ? 0 : RIGHT_HALF)
    for (let copy = 1; copy < PIXELS; copy++) rows[from + copy * rowLength] = AS_ABOVE
  })
  return png({ side, depth: 1, colour: 'grey', rows }, { strategy: constants.Z_RLE })
}

/**
 * The addresses of pages that open without credentials: the signature in the address gives access, until its expiry.
 */
export type PageKind = 'checkout' | 'bank' | 'qr'

type Signer = Pick<Account, 'id' | 'sign'>

export function pagePath(signer: Signer, kind: PageKind, payment: string, expiresAt: number | null): string {
  const expiry = expiresAt === null ? '' : `expires=${expiresAt}&`
  return `/${kind}/${signer.id}/${payment}?${expiry}signature=${signature(signer, kind, payment, expiresAt)}`
}

export function isGenuine(
  signer: Signer,
  kind: PageKind,
  payment: string,
  expiresAt: number | null,
  given: string,
): boolean {
  return given === signature(signer, kind, payment, expiresAt)
}

const signature = (signer: Signer, kind: PageKind, payment: string, expiresAt: number | null) =>
  signer.sign(`${kind}/${payment}/${expiresAt ?? ''}`)
