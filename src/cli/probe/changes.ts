import { fill } from '../../client/address.ts'
import type { Answer } from '../../client/transport/transport.ts'
import { memberAt } from '../../contract/json.ts'
import { OPERATION_PATHS } from '../../contract/paths.ts'
import {
  CANNOT_CREATE,
  canCreate,
  contradictsCreation,
  creation,
  idOf,
  isConflict,
  keptKey,
  plainMethod,
  post,
  type Usable,
  usableMethods,
} from './creations.ts'
import { isSuccess, type ProbeRequest, type Question, type Seen, shown, unclear } from './inquiry.ts'
import { oneOf } from './reads.ts'
import type { Outgoing } from './session.ts'

/** What only a later change of a payment shows: its receipts, its cancellation, and what its payer does. */

/** A small PNG, and another one. */
const IMAGE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGP4DwABAQEAsTj2FAAAAABJRU5ErkJggg==',
  'base64',
)
const OTHER_IMAGE = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==',
  'base64',
)
const NOT_AN_IMAGE = Buffer.from('This is a text, and not an image.\n')

/** The method that may take a receipt. */
const transferMethod = (seen: Seen): Usable | undefined =>
  usableMethods(seen)
    .filter(({ actions }) => actions.includes('display_bank_transfer_instructions'))
    .toSorted((a, b) => a.required.length - b.required.length)[0]

/** A request about a payment that the probe made. */
const about =
  (name: string, template: string, more: Omit<Outgoing, 'method' | 'path'> = {}) =>
  (seen: Seen) => {
    const id = idOf(seen.answer(name))
    if (id === undefined) return `the payment for this could not be made (${name})`
    return { method: 'POST', path: fill(template, { id }), ...more } as const
  }

const { path: RECEIPT } = OPERATION_PATHS.submitReceipt
const { path: CANCEL } = OPERATION_PATHS.cancelPayment
const { path: PAYMENT } = OPERATION_PATHS.getPayment

/** To the payment that takes a receipt. */
const upload = (file: Buffer, key: string, writes: string): ProbeRequest => ({
  writes,
  make: seen =>
    takesReceipt(seen)
      ? about('transfer', RECEIPT, { file, key: seen.reference(key) })(seen)
      : 'no method was found that takes a receipt',
})

const takesReceipt = (seen: Seen) =>
  memberAt(seen.answer('transfer')?.body, 'receipt', 'status') === 'required'

export const CHANGES: Readonly<Record<string, ProbeRequest>> = {
  transfer: {
    writes: 'creates a payment that takes a receipt',
    make(seen) {
      const method = transferMethod(seen)
      if (!canCreate(seen)) return CANNOT_CREATE
      if (!method) return 'no method was found that takes a receipt'
      return post(seen, creation(seen, 'transfer', method), seen.reference('transfer'))
    },
    contradiction: contradictsCreation,
  },
  'not an image': {
    ...upload(NOT_AN_IMAGE, 'not an image', 'sends a text as a receipt'),
    contradiction: answer =>
      isSuccess(answer) ? 'a receipt must be a JPEG or a PNG, and this file is a text' : undefined,
  },
  receipt: {
    ...upload(IMAGE, 'receipt', 'sends an image as a receipt'),
    contradiction: answer =>
      isSuccess(answer) &&
      !['processing', 'submitted'].includes(String(memberAt(answer.body, 'receipt', 'status')))
        ? 'an accepted receipt must be processing or submitted'
        : undefined,
  },
  'cancel during receipt': {
    writes: 'asks to cancel its payment',
    make: seen =>
      isSuccess(seen.answer('receipt'))
        ? about('transfer', CANCEL, { body: {} })(seen)
        : 'no receipt is being verified',
    contradiction: contradictsCancellation,
  },
  'after the refusal': {
    make(seen) {
      const get = about('transfer', PAYMENT)(seen)
      return shown(seen.answer('cancel during receipt')) === '422 invalid_state' && typeof get === 'object'
        ? { ...get, method: 'GET' }
        : 'the cancellation was not refused'
    },
  },
  'other receipt, same key': {
    ...upload(OTHER_IMAGE, 'receipt', 'sends another image with the same key'),
    contradiction: (answer, seen) =>
      isSuccess(seen.answer('receipt')) && isSuccess(answer)
        ? 'a key that is used again with another image must get idempotency_conflict'
        : undefined,
  },
  'other body, same key': {
    writes: 'tries another creation with a known key',
    contradiction: contradictsCreation,
    make(seen) {
      if (!canCreate(seen)) return CANNOT_CREATE
      if (!keptKey(seen)) return 'keys have no effect on creations'
      if (isConflict(seen.answer('other receipt, same key')))
        return 'a receipt has shown how a conflict of keys is answered'
      const other = creation(seen, 'plain', plainMethod(seen), { amount: '10100' })
      return post(seen, other, seen.reference('plain'))
    },
  },
  'refused receipt': {
    writes: 'sends a receipt that must be refused',
    make: seen => about('hosted', RECEIPT, { file: IMAGE, key: seen.reference('refused') })(seen),
  },
  'refused again': {
    writes: 'sends another receipt that must be refused',
    make: seen => about('hosted', RECEIPT, { file: OTHER_IMAGE, key: seen.reference('refused') })(seen),
  },
  'cancel without a method': {
    writes: 'asks to cancel its payment',
    make: seen =>
      memberAt(seen.answer('hosted')?.body, 'payment_method') === null
        ? about('hosted', CANCEL, { body: {} })(seen)
        : 'no hosted payment without a method could be made',
    contradiction: contradictsCancellation,
  },
  choice: {
    writes: 'creates a payment for a person',
    make: seen =>
      canCreate(seen)
        ? post(seen, creation(seen, 'choice', undefined), seen.reference('choice'))
        : CANNOT_CREATE,
    contradiction: contradictsCreation,
  },
  'after the choice': {
    make(seen) {
      const get = about('choice', PAYMENT)(seen)
      if (typeof get === 'string') return get
      return pageOf(seen) === undefined ? 'the payment has no page' : { ...get, method: 'GET' }
    },
    person: seen => ({ what: 'choose a payment method, but do not pay', url: pageOf(seen) ?? '' }),
  },
}

/** The page of the payment that a person is to look at. */
function pageOf(seen: Seen): string | undefined {
  const url = memberAt(seen.answer('choice')?.body, 'next_action', 'url')
  return typeof url === 'string' ? url : undefined
}

export function contradictsCancellation(answer: Answer): string | undefined {
  return isSuccess(answer) && answer.status !== 202
    ? `a cancellation that is accepted must get 202, not ${answer.status}`
    : undefined
}

const isRefusal = (answer: Answer | undefined) => answer?.status === 422

export const CHANGE_QUESTIONS: readonly Question[] = [
  {
    key: 'receipt.file_faults',
    requests: ['transfer', 'not an image'],
    read: seen => {
      const answer = seen.answer('not an image')
      if (answer?.status === 415) return { value: '413/415' }
      return shown(answer) === '400 validation_failed'
        ? { value: '400' }
        : unclear(answer, 'a text as a receipt')
    },
  },
  {
    key: 'status.receipt',
    requests: ['transfer', 'receipt'],
    read: seen => oneOf(String(seen.answer('receipt')?.status), ['200', '202'], seen.answer('receipt')),
  },
  {
    key: 'cancel.during_receipt',
    requests: ['transfer', 'receipt', 'cancel during receipt', 'after the refusal'],
    read: seen => {
      const answer = seen.answer('cancel during receipt')
      const isVerified = (body: unknown) => memberAt(body, 'receipt', 'status') === 'processing'
      if (isSuccess(answer) && isVerified(answer.body)) return { value: 'allow' }
      const after = seen.answer('after the refusal')?.body
      return isVerified(after) && memberAt(after, 'status') === 'pending'
        ? { value: 'refuse' }
        : unclear(answer, 'the receipt was no longer being verified')
    },
  },
  {
    key: 'errors.idempotency_conflict',
    requests: ['plain', 'same key', 'transfer', 'receipt', 'other receipt, same key', 'other body, same key'],
    read: seen => {
      const [answer] = ['other receipt, same key', 'other body, same key']
        .map(name => seen.answer(name))
        .filter(isConflict)
      if (!answer) return { why: 'no key was refused with idempotency_conflict' }
      return oneOf(String(answer.status), ['409', '422', '400'], answer)
    },
  },
  {
    key: 'idempotency.refusals',
    requests: ['hosted', 'refused receipt', 'refused again', 'other receipt, same key'],
    read: seen => {
      const [first, again] = [seen.answer('refused receipt'), seen.answer('refused again')]
      if (!isRefusal(first)) return unclear(first, 'the receipt was not refused with 422')
      if (isConflict(again)) return { value: 'keep' }
      // A server that never reports a conflict would look as if it forgot.
      return isRefusal(again) && isConflict(seen.answer('other receipt, same key'))
        ? { value: 'forget' }
        : unclear(again, 'another receipt with the same key')
    },
  },
  {
    key: 'cancel.no_route',
    requests: ['hosted', 'cancel without a method'],
    read: seen => {
      const answer = seen.answer('cancel without a method')
      if (isSuccess(answer)) return { value: 'cancel' }
      return shown(answer) === '422 provider_capability_unsupported'
        ? { value: 'refuse' }
        : unclear(answer, 'a cancellation before a method was chosen')
    },
  },
]

/** What only a person can bring about. */
export const PERSON_QUESTIONS: readonly Question[] = [
  {
    key: 'payment.method_after_choice',
    requests: ['choice', 'after the choice'],
    read: seen => {
      const answer = seen.answer('after the choice')
      const method = memberAt(answer?.body, 'payment_method')
      if (typeof method === 'string') return { value: 'code' }
      // A choice that nobody made would look like one that is not shown.
      if (memberAt(answer?.body, 'updated_at') === memberAt(seen.answer('choice')?.body, 'updated_at'))
        return { why: 'the payment did not change, so perhaps nobody chose a method' }
      return method === null ? { value: 'keep_null' } : unclear(answer, 'the payment after the choice')
    },
  },
]
