import * as Type from '@sinclair/typebox'
import { call, idempotent, picture } from './answers.ts'
import { anything, closed, id, maybe, object } from './words.ts'

/** The merchant's calls: every operation of the API, and any other request. @internal */
export const MERCHANT_STEPS = {
  'list methods': Type.Object({ 'list methods': object('the query'), ...call }, closed),
  'create payment': Type.Object({ 'create payment': object('the body'), ...idempotent }, closed),
  'get payment': Type.Object({ 'get payment': id('payment'), ...call }, closed),
  'cancel payment': Type.Object({ 'cancel payment': id('payment'), ...idempotent }, closed),
  'submit receipt': Type.Object(
    {
      'submit receipt': id('payment'),
      ...picture,
      asset: maybe(id('asset')),
      boundary: maybe(
        Type.String({
          pattern: "^[A-Za-z0-9'()+_,./:=?-]{1,70}$",
          description: 'the multipart boundary, another at each upload unless told',
        }),
      ),
      ...idempotent,
    },
    closed,
  ),
  'list payouts': Type.Object(
    { 'list payouts': object('the query; a list gives a name often'), ...call },
    closed,
  ),
  'cancel payout': Type.Object(
    { 'cancel payout': id('payout'), reason: maybe(Type.String({ description: 'why' })), ...call },
    closed,
  ),
  request: Type.Object(
    {
      request: Type.String({
        pattern: '^[A-Z]+ /',
        description: 'a method and a path, as `GET /payment_intents/x`',
      }),
      query: maybe(object('the query')),
      json: maybe(anything('the body, as JSON')),
      text: maybe(Type.String({ description: 'the body, as it stands' })),
      ...idempotent,
    },
    closed,
  ),
}
