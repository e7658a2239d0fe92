import * as Type from '@sinclair/typebox'
import { AnswerSchema, anyStep, picture } from './answers.ts'
import { closed, id, maybe, name, text } from './words.ts'

const page = { ...anyStep, as: maybe(name), expect: maybe(AnswerSchema) }
const payment = id('payment, or the address of its page')

/** What a payer does on the hosted page, or on the page of the bank. @internal */
export const PAYER_STEPS = {
  'payer opens': Type.Object({ 'payer opens': payment, ...page }, closed),
  'payer chooses': Type.Object(
    {
      'payer chooses': text('the code of the method'),
      payment,
      with: maybe(
        Type.Record(Type.String(), Type.String(), {
          description: 'the fields of the form: bank, customer_name, customer_phone, account_number…',
        }),
      ),
      ...page,
    },
    closed,
  ),
  'payer approves': Type.Object({ 'payer approves': payment, ...page }, closed),
  'payer declines': Type.Object({ 'payer declines': payment, ...page }, closed),
  'payer lets expire': Type.Object({ 'payer lets expire': payment, ...page }, closed),
  'payer sends receipt': Type.Object({ 'payer sends receipt': payment, ...picture, ...page }, closed),
}
