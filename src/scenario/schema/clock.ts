import * as Type from '@sinclair/typebox'
import { closed, instant, maybe, oneOf } from './words.ts'

const mode = oneOf(['virtual', 'real'])
export const ClockSchema = Type.Unsafe<
  'virtual' | 'real' | { mode: 'virtual' | 'real'; now?: string; rate?: number | string }
>({
  description: 'virtual stands still until `advance`; real follows the wall, `rate` times as fast',
  anyOf: [
    mode,
    Type.Object(
      {
        mode,
        now: maybe(instant('where it begins')),
        rate: maybe(
          Type.Union([
            Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000 }),
            Type.String({ pattern: '^\\d+(\\.\\d+)?x$' }),
          ]),
        ),
      },
      closed,
    ),
  ],
})
