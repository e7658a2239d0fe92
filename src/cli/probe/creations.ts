import type { Answer } from '../../client/transport/transport.ts'
import type { DecisionKey } from '../../contract/decisions.ts'
import { memberAt } from '../../contract/json.ts'
import { OPERATION_PATHS } from '../../contract/paths.ts'
import {
  codeOf,
  isRefusedFor,
  isSuccess,
  type ProbeRequest,
  type Question,
  type Reading,
  type Seen,
  shown,
  unclear,
} from './inquiry.ts'
import { CREATE_PATHS, createPathOf, DISCOVERY, methodsOf, oneOf, READ_QUESTIONS, TOO_MUCH } from './reads.ts'
import type { Outgoing } from './session.ts'

/** What only creations show. Every payment has a reference that says who made it. */

type Body = Readonly<Record<string, unknown>>

const VALUES: Readonly<Record<string, string>> = {
  account_name: 'paysim probe',
  account_number: '1234567890',
  name_th: 'เพย์ซิม',
}

const CUSTOMER = { name: 'paysim probe', phone: '+66800000000' }

/** A method that discovery listed in merchant mode, with what its route requires. */
export interface Usable {
  readonly code: string
  readonly actions: readonly unknown[]
  readonly required: readonly string[]
  readonly bank: unknown
}

export function usableMethods(seen: Seen): Usable[] {
  return methodsOf(seen.answer('merchant methods')).flatMap(method => {
    const code = memberAt(method, 'code')
    const actions = memberAt(method, 'next_action_types')
    const payer = Object.entries(Object(memberAt(method, 'options', 'payer')))
    const required = payer.filter(([, key]) => memberAt(key, 'required') === true).map(([name]) => name)
    const bank = memberAt(method, 'options', 'banks', '0', 'code')
    if (typeof code !== 'string' || !Array.isArray(actions)) return []
    return [{ code, actions, required, bank }]
  })
}

/** The body of a create request that should succeed, but for what is changed. */
export function creation(seen: Seen, name: string, method: Usable | undefined, changed: Body = {}): Body {
  const options = Object.fromEntries(
    (method?.required ?? []).flatMap(field =>
      field === 'bank' ? [[field, method?.bank]] : field in VALUES ? [[field, VALUES[field]]] : [],
    ),
  )
  return {
    ...DISCOVERY,
    checkout_mode: method ? 'merchant' : 'hosted',
    merchant_reference: seen.reference(name),
    customer: CUSTOMER,
    ...(method ? { payment_method: method.code } : {}),
    ...(Object.keys(options).length > 0 ? { payment_method_options: options } : {}),
    ...changed,
  }
}

/** The method that asks for least, best of all one that shows a code; none if merchant mode has no methods. */
export const plainMethod = (seen: Seen): Usable | undefined =>
  usableMethods(seen).toSorted((a, b) => effort(a) - effort(b))[0]
const effort = ({ required, actions }: Usable) =>
  required.length + (actions.includes('display_qr_code') ? 0 : 6)

/** Whether creations work. A mock that answers with an example, whatever is asked, shows nothing. */
export const canCreate = (seen: Seen) =>
  isCreated(seen.answer('plain')) &&
  memberAt(seen.answer('plain')?.body, 'merchant_reference') === seen.reference('plain')
export const CANNOT_CREATE = 'the probe could not create a payment'

/** Creates with one thing changed. They come after `plain`, which shows that nothing else is wrong. */
const create = (
  name: string,
  writes: string,
  change: (seen: Seen) => { body?: Body; key?: string | undefined },
): ProbeRequest => ({
  writes,
  make(seen) {
    if (name !== 'plain' && !canCreate(seen)) return CANNOT_CREATE
    const { body = {}, key } = { key: seen.reference(name), ...change(seen) }
    return post(seen, creation(seen, name, plainMethod(seen), body), key)
  },
  contradiction: contradictsCreation,
})

export const post = (seen: Seen, body: Body, key: string | undefined): Outgoing => ({
  method: 'POST',
  path: createPathOf(seen),
  body,
  ...(key === undefined ? {} : { key }),
})

export function contradictsCreation(answer: Answer): string | undefined {
  if (!isSuccess(answer)) return undefined
  const { status, body } = answer
  if (status !== 201) return `a creation must get 201, not ${status}`
  if (memberAt(body, 'object') !== 'payment_intent') return 'a creation must answer with a payment intent'
  const type = memberAt(body, 'next_action', 'type')
  return memberAt(body, 'checkout_mode') === 'hosted' && type !== 'redirect_to_url'
    ? 'a hosted intent must have the next action redirect_to_url'
    : undefined
}

export const isCreated = (answer: Answer | undefined): answer is Answer<object> =>
  isSuccess(answer) && typeof memberAt(answer.body, 'id') === 'string'

export const idOf = (answer: Answer | undefined): string | undefined => {
  const id = isCreated(answer) ? memberAt(answer.body, 'id') : undefined
  return typeof id === 'string' && id !== '' ? id : undefined
}

const MAKES = 'creates a payment'

export const CREATIONS: Readonly<Record<string, ProbeRequest>> = {
  plain: {
    ...create('plain', MAKES, () => ({})),
    contradiction: (answer, seen) =>
      isCreated(answer) && memberAt(answer.body, 'merchant_reference') !== seen.reference('plain')
        ? 'a creation must answer with the merchant_reference of the request'
        : contradictsCreation(answer),
  },
  'same key': create('same key', 'creates a payment, unless its key is known', seen => ({
    body: { merchant_reference: seen.reference('plain') },
    key: seen.reference('plain'),
  })),
  'no key': create('no key', MAKES, () => ({ key: undefined })),
  'no reference': create('no reference', MAKES, () => ({ body: { merchant_reference: undefined } })),
  'unknown member': create('unknown member', MAKES, () => ({ body: { paysim_probe: 'unknown' } })),
  null: create('null', MAKES, () => ({ body: { customer: { ...CUSTOMER, email: null } } })),
  'unknown method': {
    ...create('unknown method', MAKES, () => ({})),
    make: seen =>
      canCreate(seen)
        ? post(
            seen,
            {
              ...creation(seen, 'unknown method', undefined),
              checkout_mode: memberAt(seen.answer('plain')?.body, 'checkout_mode') ?? 'hosted',
              payment_method: 'paysim_probe_no_such_method',
            },
            seen.reference('unknown method'),
          )
        : CANNOT_CREATE,
  },
  'methods for too much': {
    make: seen => ({
      method: 'GET',
      path: OPERATION_PATHS.listPaymentMethods.path,
      query: { ...DISCOVERY, amount: TOO_MUCH, checkout_mode: plainMethod(seen) ? 'merchant' : 'hosted' },
    }),
  },
  'too much': create('too much', MAKES, () => ({ body: { amount: TOO_MUCH } })),
  hosted: {
    writes: MAKES,
    make: seen =>
      canCreate(seen)
        ? post(seen, creation(seen, 'hosted', undefined), seen.reference('hosted'))
        : CANNOT_CREATE,
    contradiction: contradictsCreation,
  },
  'creation in the mode without methods': {
    writes: 'tries a creation in a checkout mode that may be denied',
    make(seen) {
      const [hosted, merchant] = [seen.answer('methods'), seen.answer('merchant methods')].map(
        answer => methodsOf(answer).length,
      )
      if (!hosted === !merchant) return 'no checkout mode seems to be denied'
      const [code] = methodsOf(seen.answer(hosted ? 'methods' : 'merchant methods')).map(method =>
        memberAt(method, 'code'),
      )
      const mode = hosted ? { checkout_mode: 'merchant', payment_method: code } : {}
      return post(seen, { ...creation(seen, 'denied', undefined), ...mode }, seen.reference('denied'))
    },
    contradiction: contradictsCreation,
  },
}

export const isConflict = (answer: Answer | undefined): answer is Answer =>
  answer !== undefined && !isSuccess(answer) && codeOf(answer) === 'idempotency_conflict'
/** Whether the second request with the key got the payment of the first. */
export const keptKey = (seen: Seen) => idOf(seen.answer('same key')) === idOf(seen.answer('plain'))

/** What one changed creation shows: accepted, or refused because of the change. */
function accepted(seen: Seen, name: string, field: string, values: { yes: string; no: string }): Reading {
  const answer = seen.answer(name)
  if (isCreated(answer) && idOf(answer) !== idOf(seen.answer('plain'))) return { value: values.yes }
  return isRefusedFor(answer, field) ? { value: values.no } : unclear(answer, `a creation with "${name}"`)
}

/** What the requests show that only read. */
const readAlone = (key: DecisionKey, seen: Seen): Reading =>
  READ_QUESTIONS.find(question => question.key === key)?.read(seen) ?? { why: 'no answer shows it' }

export const CREATION_QUESTIONS: readonly Question[] = [
  {
    key: 'create.path',
    requests: ['merchant methods', ...CREATE_PATHS, 'plain'],
    read: seen => (canCreate(seen) ? { value: createPathOf(seen) } : readAlone('create.path', seen)),
  },
  {
    key: 'fields.absent',
    requests: ['plain'],
    read: seen => {
      const answer = seen.answer('plain')
      if (!canCreate(seen) || !answer) return unclear(answer, CANNOT_CREATE)
      // A new payment has not failed.
      const fields = ['failure_code', 'failure_message'].map(name => memberAt(answer.body, name))
      if (fields.every(value => value === null)) return { value: 'null' }
      return fields.every(value => value === undefined) ? { value: 'omit' } : { why: 'its fields differ' }
    },
  },
  {
    key: 'create.idempotency',
    requests: ['plain', 'same key', 'no key'],
    read: seen => {
      if (!isCreated(seen.answer('same key')))
        return unclear(seen.answer('same key'), 'the same creation again')
      if (!keptKey(seen)) return { value: 'off' }
      return accepted(seen, 'no key', 'idempotency-key', { yes: 'optional', no: 'required' })
    },
  },
  {
    key: 'create.merchant_reference',
    requests: ['plain', 'no reference'],
    read: seen => accepted(seen, 'no reference', 'merchant_reference', { yes: 'optional', no: 'required' }),
  },
  {
    key: 'strict.unknown_members',
    requests: ['plain', 'unknown member'],
    read: seen => accepted(seen, 'unknown member', 'paysim_probe', { yes: 'ignore', no: 'reject' }),
  },
  {
    key: 'strict.nulls',
    requests: ['plain', 'null'],
    read: seen => accepted(seen, 'null', 'email', { yes: 'absent', no: 'reject' }),
  },
  {
    key: 'errors.unknown_method',
    requests: ['plain', 'unknown method'],
    read: seen => {
      const answer = seen.answer('unknown method')
      if (isRefusedFor(answer, 'payment_method')) return { value: 'validation_failed' }
      return shown(answer) === '422 payment_configuration_unavailable'
        ? { value: 'payment_configuration_unavailable' }
        : unclear(answer, 'a creation with an unknown method')
    },
  },
  {
    key: 'errors.amount_limits',
    requests: ['plain', 'methods for too much', 'too much'],
    read: seen => {
      const answer = seen.answer('too much')
      const offers = seen.answer('methods for too much')
      if (!isSuccess(offers) || methodsOf(offers).length > 0)
        return { why: `no amount is known to be outside the limits: ${TOO_MUCH} is not` }
      const [, code = ''] = /^422 (.*)$/.exec(shown(answer)) ?? []
      return oneOf(code, ['routing_unavailable', 'payment_configuration_unavailable'], answer)
    },
  },
  {
    key: 'methods.denied_mode',
    requests: ['methods', 'merchant methods', 'creation in the mode without methods'],
    read: seen => {
      const answer = seen.answer('creation in the mode without methods')
      return shown(answer) === '403 checkout_mode_not_allowed'
        ? { value: 'empty' }
        : readAlone('methods.denied_mode', seen)
    },
  },
]
