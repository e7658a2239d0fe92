import type { Handlers } from './handlers.ts'
import { LISTS } from './lists.ts'
import { LOOKS } from './looks.ts'
import { MERCHANT } from './merchant.ts'
import { OPERATOR } from './operator.ts'
import { PAYER } from './payer.ts'

/** How each step is carried out. */
export const HANDLERS: Handlers = { ...MERCHANT, ...PAYER, ...OPERATOR, ...LOOKS, ...LISTS }
