import type { TSchema } from '@sinclair/typebox'
import * as Type from '@sinclair/typebox'
import type { ErrorCode } from '../../errors.ts'

/** An operation of the control surface. */
export interface ControlOperation {
  /** The operationId. */
  readonly id: string
  readonly summary: string
  readonly query?: Readonly<Record<string, TSchema>>
  readonly headers?: Readonly<Record<string, TSchema>>
  readonly body?: RequestBody
  readonly answers: Readonly<Record<number, AnswerBody>>
  /** Besides those that every call of its kind can have. */
  readonly errors?: readonly ErrorCode[]
  /** Whether it needs no control token. */
  readonly open?: true
}

/** By method and path. */
export type ControlOperations = Readonly<Record<string, ControlOperation>>

type RequestBody =
  | { readonly json: TSchema; readonly optional?: true }
  /** A form with an image, its `file`, and these members. */
  | { readonly form: Readonly<Record<string, TSchema>> }

/** What is sent with a status: JSON, something else, or nothing. */
type AnswerBody = TSchema | OtherMedia | null

interface OtherMedia {
  readonly media: readonly string[]
  readonly schema?: TSchema
}

/** A place in a list: a time in milliseconds, and a number at that time. */
export const EXAMPLE_POSITION = '1798796400000.1'

export const LIST_QUERY = {
  limit: Type.Integer({ minimum: 1, description: 'How many; all of them by default.', examples: [25] }),
  cursor: Type.String({ description: 'The next_cursor of the previous page.', examples: [EXAMPLE_POSITION] }),
}

export const CREATED_QUERY = {
  created_after: Type.String({
    format: 'date-time',
    description: 'Inclusive.',
    examples: ['2020-01-01T00:00:00.000Z'],
  }),
  created_before: Type.String({
    format: 'date-time',
    description: 'Exclusive.',
    examples: ['2100-01-01T00:00:00.000Z'],
  }),
}

/** One operation for each trigger, which is the last part of its path. */
export function moves<P extends string, T extends string, O extends Omit<ControlOperation, 'id' | 'summary'>>(
  path: P,
  triggers: readonly T[],
  record: string,
  operation: O,
) {
  const entries = triggers.map(trigger => {
    const [first = '', ...rest] = trigger.split('-')
    const id = [first, ...rest.map(capital)].join('') + capital(record)
    return [
      `${path}/${trigger}`,
      { ...operation, id, summary: `Trigger a change of a ${record}: ${trigger}` },
    ]
  })
  return Object.fromEntries(entries) as { readonly [K in `${P}/${T}`]: O & { id: string; summary: string } }
}

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
