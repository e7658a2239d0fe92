import { formatMoney } from '../output/money.ts'
import { valueAt } from './body-paths.ts'
import type { Body } from './request-fields.ts'

/** What a request is about, as people write money. */
export const moneyOf = (body: Body): string => formatMoney(valueAt(body, 'amount'), valueAt(body, 'currency'))
