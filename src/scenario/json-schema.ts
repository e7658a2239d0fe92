import type { TSchema } from '@sinclair/typebox'
import { DURATION_PATTERN } from '../contract/durations.ts'
import { A_STEP, ANSWER, AnswerSchema } from './schema/answers.ts'
import { FileSchema } from './schema/file.ts'
import { VERBS } from './verbs/index.ts'

/** The JSON Schema of scenario files, for editors. */
export function jsonSchema(): object {
  const schema = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title: 'A paysim scenario',
    ...FileSchema,
    definitions: {
      step: aStep(),
      answer: { ...AnswerSchema, $comment: undefined },
    },
  }
  return JSON.parse(JSON.stringify(schema, (_, value) => forEditors(value)))
}

/**
 * A step as its verb has it. An editor that had to choose among all kinds of steps would say of a wrong verb only which
 * member the first kind has, and offer the members of all of them.
 */
const aStep = () => ({
  title: 'step',
  type: 'object',
  allOf: [...VERBS.values()].map(({ name, schema }) => ({ if: has(name), then: schema })),
  if: { not: { anyOf: [...VERBS.keys()].map(has) } },
  then: {
    title: 'step',
    minProperties: 1,
    propertyNames: { enum: [...VERBS.keys()] },
    properties: Object.fromEntries(
      [...VERBS].map(([name, { schema }]) => [name, offered(schema.properties[name])]),
    ),
  },
})

const offered = ({ description }: TSchema) => (description === undefined ? {} : { description })

/** Not of a step that is still empty. */
function has(name: string) {
  return { type: 'object', required: [name] }
}

/** A duration is a pattern. For a step inside a step, editors follow a reference. */
function forEditors(value: { $comment?: unknown; format?: unknown } | null | undefined): unknown {
  if (value?.$comment === A_STEP.$comment) return { $ref: '#/definitions/step' }
  if (value?.$comment === ANSWER) return { $ref: '#/definitions/answer' }
  if (value?.format !== 'duration') return value
  const { format: _, ...rest } = value
  return { ...rest, pattern: DURATION_PATTERN }
}

/** The file that `paysim scenario new` writes: a scenario that runs, with comments about what to change. */
export const STARTER = `# A scenario for \`paysim run\`, which runs it in a new account with a virtual clock.
# docs/scenarios.md describes all keys. Editors that support YAML schemas can complete them:
# yaml-language-server: $schema=SCHEMA
paysim: 1
name: A receipt is rejected and replaced, and the payment succeeds

# The same seed always gives the same ids, keys and payment instructions.
seed: 7

# What the provider does. The first rule that matches a payment applies.
provider:
  - name: the first receipt is not legible
    match: { method: th_bank_transfer }
    receipt:
      - { after: 5s, verdict: reject, message: Amount is not legible }
      - { after: 5s, verdict: accept }
    outcome: { after: 30s, status: succeeded }

steps:
  - create payment:
      amount: "150000"
      currency: THB
      country: TH
      checkout_mode: merchant
      payment_method: th_bank_transfer
      merchant_reference: order-1
      customer: { name: Somchai Jaidee }
    as: payment
    expect:
      status: 201
      body: { status: pending, receipt.status: required }

  # An image is generated from its name, so another name gives another image. \`file: slip.png\` sends your own.
  - submit receipt: \${payment.id}
    image: blurred slip
    key: first-try
    expect: { body: { receipt.status: processing } }

  # Moves the clock by five seconds. Everything that is due happens.
  - advance: 5s
  - expect receipt: \${payment.id}
    is: { status: rejected, failure_message: Amount is not legible }

  - submit receipt: \${payment.id}
    image: sharp slip
    key: second-try
  - advance: 35s
  - expect payment: \${payment.id}
    is: { status: succeeded, next_action: null }

  # paysim receives your webhooks and verifies their signatures.
  - expect webhooks: all
    exactly:
      - { type: payment.succeeded, data.id: "\${payment.id}", signature: valid }

# Checks that every rule was used, every fault was hit, and every webhook was expected.
verify: all
`
