import type { Static } from '@sinclair/typebox'
import * as Type from '@sinclair/typebox'
import { ERROR_STATUS, type ErrorCode } from '../../contract/errors.ts'
import { closed, matcher, maybe, name, nameOf, oneOf, text } from './words.ts'

/** Marks the one definition that many steps share, in the published schema. */
export const ANSWER = 'answer'

/** What a merchant or a payer expects of the answer to a call. */
export const AnswerSchema = Type.Object(
  {
    status: maybe(matcher('the HTTP status; without it, and without `error` or `lost`, it must be a 2xx')),
    error: maybe(oneOf(Object.keys(ERROR_STATUS) as ErrorCode[], 'the error code, wherever the body has it')),
    fields: maybe(Type.Array(text('a field'), { description: 'the fields that a validation_failed names' })),
    headers: maybe(Type.Record(Type.String(), matcher('what the header must be'))),
    body: maybe(matcher('what the JSON body must be')),
    text: maybe(matcher('what the body must be as text')),
    'same as': maybe(nameOf('the step whose answer this one repeats, byte for byte')),
    lost: maybe(Type.Literal(true, { description: 'no whole answer comes: the connection is cut' })),
  },
  { ...closed, $comment: ANSWER, description: 'what the answer must be' },
)
export type AnswerExpectation = Static<typeof AnswerSchema>

/** What every step with an answer may have. */
export const answered = {
  as: maybe(name),
  expect: maybe(AnswerSchema),
}

/** What every call of the merchant may have. */
export const merchantCall = {
  ...answered,
  keys: maybe(
    oneOf(['test', 'live', 'wrong', 'none'], "whose credentials: an environment's, a wrong secret, or none"),
  ),
  headers: maybe(Type.Record(Type.String(), Type.String(), { description: 'further headers' })),
}
export const idempotentCall = {
  ...merchantCall,
  key: maybe(Type.String({ description: 'the Idempotency-Key' })),
}

const image = Type.Unsafe<string | { name: string; type?: 'png' | 'jpeg' | 'gif' | 'text'; bytes?: number }>({
  description: 'an image that is made for the step: the same name, the same bytes',
  anyOf: [
    text('its name'),
    Type.Object(
      {
        name: text('its name'),
        type: maybe(oneOf(['png', 'jpeg', 'gif', 'text'], 'what it is; png unless told')),
        bytes: maybe(Type.Integer({ minimum: 1, maximum: 16_777_216, description: 'its exact size' })),
      },
      closed,
    ),
  ],
})
/** Where an image comes from: one of the two. */
export const picture = {
  image: maybe(image),
  file: maybe(text('a file, from where the scenario lies')),
}
export type Image = Static<typeof image>

export const failure = {
  failure_code: maybe(text('the failure_code that the record gets')),
  failure_message: maybe(text('the failure_message that the record gets')),
}
