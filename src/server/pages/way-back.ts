import type { Payment } from '../../domain/model.ts'
import { type Html, hrefOf, html } from './layout.ts'
import type { Words } from './words/language.ts'

/** A plain link to the merchant's return_url, which does not contain the status of the payment. */
export const wayBack = (
  { returnUrl }: Payment,
  { backToShop }: Words,
  look: 'primary' | 'secondary' = 'secondary',
): Html | string =>
  returnUrl === null ? '' : html`<a class="${look}" href="${hrefOf(returnUrl)}">${backToShop}</a>`
