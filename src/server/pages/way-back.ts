import type { Payment } from '../../domain/model.ts'
import { type Html, hrefOf, html } from './html.ts'
import type { Words } from './words/language.ts'

/** A plain link to the address as the merchant gave it: it says nothing of how the payment stands. */
export const wayBack = (
  { returnUrl }: Payment,
  { backToShop }: Words,
  look: 'primary' | 'secondary' = 'secondary',
): Html | string =>
  returnUrl === null ? '' : html`<a class="${look}" href="${hrefOf(returnUrl)}">${backToShop}</a>`
