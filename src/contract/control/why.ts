import * as Type from '@sinclair/typebox'
import { named, nullable, object, oneOf, timestamp, type Wire } from '../schema.ts'

/** Why a record is as it is, and what would change it. */
export const Why = named(
  'Why',
  object({
    id: Type.String(),
    kind: oneOf(['payment', 'payout', 'delivery', 'request']),
    status: Type.String({ description: 'for a request, the HTTP status of its answer' }),
    sentence: Type.String(),
    because: Type.Array(
      object({
        what: Type.String(),
        id: Type.Optional(Type.String({ description: 'the record that it is about, if it is another one' })),
        at: Type.Optional(timestamp),
      }),
    ),
    next: nullable(
      object({
        at: nullable(timestamp),
        what: Type.String(),
        by: oneOf(['timer', 'payer', 'merchant', 'operator', 'courier']),
      }),
    ),
    commands: Type.Array(Type.String({ description: 'quoted for a POSIX shell' })),
  }),
)
export type Why = Wire<typeof Why>
