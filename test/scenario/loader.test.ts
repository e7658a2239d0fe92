import { expect, test } from 'vitest'
import { HTTP_FAULT_TYPES, WEBHOOK_FAULT_TYPES } from '../../src/contract/control/faults.ts'
import { readScenario, ScenarioError } from '../../src/scenario/index.ts'

// A file that cannot be run says where it is wrong, and what was meant.

const HEAD = 'paysim: 1\nname: x\n'
/** Four lines of a story: what is tested begins on line 4. */
const story = (...lines: string[]) => `${HEAD}steps:\n${lines.map(line => `  ${line}\n`).join('')}`
const FAULT_TYPES = [...new Set([...HTTP_FAULT_TYPES, ...WEBHOOK_FAULT_TYPES])].join(', ')
const MADE = '- { create payment: { amount: "1" }, as: payment }'

async function problemsIn(text: string): Promise<string[]> {
  try {
    await readScenario(text, { file: 'a.yaml', folder: import.meta.dirname })
  } catch (error) {
    if (error instanceof ScenarioError) return error.message.split('\n')
    throw error
  }
  return []
}

const CASES: [what: string, text: string, ...problems: string[]][] = [
  ['nothing at all', '', 'a.yaml:1:1: a scenario must be an object'],
  ['a list', '- 1', 'a.yaml:1:1: a scenario must be an object'],
  ['no version', 'name: x', 'a.yaml:1:1: paysim is required'],
  [
    'a missing name and other problems, all at once',
    'paysim: 1\nsed: 7\nprovider:\n  - { match: { kind: payout }, receipt: manual }\nsteps:\n  - { advanse: 5s }\n  - { expect payment: "${nobody}", is: {} }',
    'a.yaml:1:1: name is required',
    'a.yaml:2:1: sed is not a known key; did you mean seed?',
    'a.yaml:4:32: receipt is only for payments, but the rule matches payouts',
    'a.yaml:6:7: advanse is not a step; did you mean advance?',
    'a.yaml:7:7: ${nobody} refers to a name that no earlier step stores',
  ],
  [
    'a clock that cannot be read: what depends on it is not said to be wrong',
    'paysim: 1\nclock: virtal\nfaults:\n  - { on: "*", type: truncat }\nsteps:\n  - { advance: 5s }',
    'a.yaml:1:1: name is required',
    'a.yaml:2:1: clock must be one of virtual, real; did you mean virtual?',
    `a.yaml:4:16: type must be one of ${FAULT_TYPES}; did you mean truncate?`,
  ],
  [
    'problems in the head, and in the steps behind them',
    'paysim: 1\nclock: virtal\nlet: [order]\napp: { strt: node }\nsteps:\n  - { advanse: 5s }\n  - { expect payment: "${nobody}", is: {} }\n  - { call app: GET / }',
    'a.yaml:1:1: name is required',
    'a.yaml:2:1: clock must be one of virtual, real; did you mean virtual?',
    'a.yaml:3:1: let must be an object (named values, for ${name})',
    'a.yaml:4:8: strt is not a known key; did you mean start?',
    'a.yaml:6:7: advanse is not a step; did you mean advance?',
    'a.yaml:7:7: ${nobody} refers to a name that no earlier step stores',
  ],
  ['another version', 'paysim: 2\nname: x', 'a.yaml:1:1: paysim must be 1'],
  [
    'text that is not YAML',
    `${HEAD}steps: [`,
    'a.yaml:3:9: Flow sequence in block collection must be sufficiently indented and end with a ]',
  ],
  ['a key twice', 'paysim: 1\nname: x\nname: y', 'a.yaml:3:1: Map keys must be unique'],
  ['an unknown key', `${HEAD}stps: []`, 'a.yaml:3:1: stps is not a known key; did you mean steps?'],
  [
    'JSON, with positions too',
    '{"paysim": 1,\n "name": "x",\n "sed": 7}',
    'a.yaml:3:2: sed is not a known key; did you mean seed?',
  ],
  [
    'a file that verifies rules, and has none',
    `${HEAD}verify: [webhooks, rules]`,
    'a.yaml:3:20: verify checks that every rule was used, but this file has no rules: add one under provider, or remove rules from verify',
  ],
  [
    'a file whose last rule was taken out, and whose steps take them out too',
    `${HEAD}provider: []\nsteps: [{ set rules: [] }]\nverify:\n  - rules`,
    'a.yaml:6:5: verify checks that every rule was used, but this file has no rules: add one under provider, or remove rules from verify',
  ],
  [
    'a file that verifies faults, and has none',
    `${HEAD}verify: [faults]`,
    'a.yaml:3:10: verify checks that every fault was hit, but this file has no faults: add one under faults, or remove faults from verify',
  ],
  [
    'rules that only a step inside others brings',
    `${HEAD}steps: [{ repeat: 1, steps: [{ add rules: [{}] }] }]\nverify: [rules]`,
  ],
  [
    'an unknown key of a rule',
    `${HEAD}provider:\n  - match: {}\n    outcom: manual`,
    'a.yaml:5:5: outcom is not a known key; did you mean outcome?',
  ],
  [
    'an impossible duration',
    `${HEAD}provider:\n  - { receipt: [{ after: 5 parsecs, verdict: accept }] }`,
    'a.yaml:4:19: after must be a duration, such as 250ms, 5s, 1h30m, 7d or PT5M',
  ],
  [
    'a state that does not exist',
    `${HEAD}provider:\n  - outcome: { status: suceeded }`,
    'a.yaml:4:16: status must be one of succeeded, failed, expired; did you mean succeeded?',
  ],
  [
    'a rule that contradicts itself',
    `${HEAD}provider:\n  - { match: { kind: payout }, receipt: manual }`,
    'a.yaml:4:32: receipt is only for payments, but the rule matches payouts',
  ],
  [
    'an unknown fault type',
    `${HEAD}faults:\n  - { on: "*", type: truncat }`,
    `a.yaml:4:16: type must be one of ${FAULT_TYPES}; did you mean truncate?`,
  ],
  [
    'a fault on no operation',
    `${HEAD}faults:\n  - { on: POST /payment_intent, type: reset }`,
    'a.yaml:4:7: on is not an operation; did you mean POST /payment_intents?',
  ],
  [
    'a catalogue that is not consistent',
    `${HEAD}catalogue:\n  routes:\n    - { id: banyan-th-qr, provider: banian }`,
    'a.yaml:5:27: provider is not a provider of this catalogue: banian',
  ],
  [
    'a catalogue of its own that does not',
    `${HEAD}catalogue:\n  replace: { providers: [], methods: [], routes: [], x: 1 }`,
    'a.yaml:4:54: x is not a known key',
  ],
  [
    'a clock of no kind',
    `${HEAD}clock: virtal`,
    'a.yaml:3:1: clock must be one of virtual, real; did you mean virtual?',
  ],
  [
    'an unknown check',
    `${HEAD}verify: [rule]`,
    'a.yaml:3:10: verify.0 must be one of rules, faults, intents, webhooks; did you mean rules?',
  ],
  [
    'an unknown step',
    story('- creat payment: {}'),
    'a.yaml:4:5: creat payment is not a step; did you mean create payment?',
  ],
  [
    "a misspelt half of a step's name",
    story('- creat: {}'),
    'a.yaml:4:5: creat is not a step; did you mean create payment?',
  ],
  [
    "half of a step's name",
    story('- create: {}'),
    'a.yaml:4:5: create is not a step; did you mean create payment?',
  ],
  [
    'a step with no similar name',
    story('- juggle: {}'),
    'a.yaml:4:5: juggle is not a step: docs/scenarios.md lists all steps',
  ],
  ['a step that is not an object', story('- advance'), 'a.yaml:4:5: steps.0 must be an object'],
  [
    'a step that does two things',
    story('- { advance: 1s, receiver: up }'),
    'a.yaml:4:20: a step can do only one thing, but this one has advance and receiver: make two steps',
  ],
  [
    'an unknown key of a step',
    story('- { advance: 1s, nte: x }'),
    'a.yaml:4:20: nte is not a known key; did you mean note?',
  ],
  [
    'an advance by no duration',
    story('- advance: 5 s'),
    'a.yaml:4:5: advance must be a duration, such as 250ms, 5s, 1h30m, 7d or PT5M',
  ],
  [
    'an advance on a real clock',
    `${HEAD}clock: real\nsteps:\n  - advance: 5s`,
    'a.yaml:5:5: advance needs a virtual clock, but this one is real: remove the step, or set clock: virtual',
  ],
  [
    'an advance once the clock is real',
    story('- set clock: real', '- advance: 5s'),
    'a.yaml:5:5: advance needs a virtual clock, but this one is real: remove the step, or set clock: virtual',
  ],
  [
    'an unknown trigger',
    story(MADE, `- { trigger: suceed, payment: "\${payment.id}" }`),
    'a.yaml:5:7: trigger must be one of present-action, withdraw-action, succeed, fail, expire, accept-receipt, reject-receipt, confirm-cancel; did you mean succeed?',
  ],
  [
    'an unknown reference',
    story(MADE, `- get payment: \${paymnt.id}`),
    'a.yaml:5:5: ${paymnt.id} refers to a name that no earlier step stores; did you mean payment?',
  ],
  [
    'a reference to a later step',
    story(`- get payment: \${payment.id}`, MADE),
    'a.yaml:4:5: ${payment.id} refers to a name that no earlier step stores',
  ],
  [
    'a count outside a repetition',
    story(`- get payment: \${n}`),
    'a.yaml:4:5: ${n} refers to a name that no earlier step stores',
  ],
  [
    'a branch that refers to another branch',
    story('- parallel:', '    - { list payouts: {}, as: page }', `    - get payment: \${page.id}`),
    'a.yaml:6:9: ${page.id} refers to a name that no earlier step stores',
  ],
  [
    'a misspelt `verify`, with all that is possible',
    'paysim: 1\nname: a\nverify: al\nsteps: [{ list payouts: {} }]',
    'a.yaml:3:1: verify must be all, or a list of rules, faults, intents, webhooks; did you mean all?',
  ],
  [
    'an invalid name',
    story('- { list payouts: {}, as: Page 1 }'),
    'a.yaml:4:25: as must be a name of lower-case letters, digits and _ that begins with a letter',
  ],
  [
    '`same as` without an answer',
    story('- { list payouts: {}, expect: { same as: first } }'),
    'a.yaml:4:35: no earlier step stores an answer as first',
  ],
  [
    'an empty expectation',
    story('- { list payouts: {}, expect: {} }'),
    'a.yaml:4:25: expect is empty: say what the answer must be, or remove it',
  ],
  [
    'a lost answer with a status',
    story('- { list payouts: {}, expect: { lost: true, status: 200 } }'),
    'a.yaml:4:35: a lost answer has nothing else to check: remove lost or the other keys',
  ],
  [
    'an unknown error code',
    story('- { list payouts: {}, expect: { error: not_fond } }'),
    'a.yaml:4:35: error must be one of validation_failed, unauthorized, checkout_mode_not_allowed, not_found, method_not_allowed, idempotency_conflict, idempotency_in_progress, payload_too_large, unsupported_media_type, payment_configuration_unavailable, routing_unavailable, provider_capability_unsupported, invalid_state, rate_limited, internal_error, service_unavailable; did you mean not_found?',
  ],
  [
    'an unknown operator',
    story('- { expect value: 1, is: { $liek: x } }'),
    'a.yaml:4:30: $liek is not an operator; did you mean $like?',
  ],
  [
    'an operator with the wrong argument',
    story('- { expect value: 1, is: { $in: x } }'),
    'a.yaml:4:30: $in must be a list',
  ],
  [
    'an operator beside a key',
    story('- { expect value: 1, is: { $like: x, a: 1 } }'),
    'a.yaml:4:30: $like cannot be next to plain keys: put it inside one of them',
  ],
  [
    'a payment status that does not exist',
    story(MADE, `- { expect payment: "\${payment.id}", is: { status: canceled } }`),
    'a.yaml:5:46: there is no status canceled: use one of pending, processing, succeeded, failed, expired',
  ],
  [
    'one inside an operator',
    story(MADE, `- { expect payment: "\${payment.id}", is: { status: { $in: [pending, procesing] } } }`),
    'a.yaml:5:71: there is no status procesing; did you mean processing?',
  ],
  [
    'a receipt status that does not exist',
    story(MADE, `- { expect receipt: "\${payment.id}", is: acepted }`),
    'a.yaml:5:40: there is no type acepted: use one of required, processing, submitted, rejected',
  ],
  [
    'an event that does not exist',
    story('- { expect webhooks: all, none: payment.suceeded }'),
    'a.yaml:4:29: there is no type payment.suceeded; did you mean payment.succeeded?',
  ],
  [
    'an event in a filter',
    story('- { expect webhooks: { type: payment.faild }, count: 0 }'),
    'a.yaml:4:26: there is no type payment.faild; did you mean payment.failed?',
  ],
  [
    'a call that does not exist',
    story('- { expect provider calls: all, include: [cancl] }'),
    'a.yaml:4:45: there is no type cancl; did you mean cancel?',
  ],
  [
    'an unknown event in a history',
    story(MADE, `- { expect history: "\${payment.id}", none: PaymentSuceeded }`),
    'a.yaml:5:40: there is no type PaymentSuceeded; did you mean PaymentSucceeded?',
  ],
  [
    'a list without an expectation',
    story('- expect webhooks: all'),
    'a.yaml:4:5: expect webhooks needs at least one of exactly, include, count, none',
  ],
  [
    'an image without a source',
    story('- upload asset: other'),
    'a.yaml:4:5: upload asset needs exactly one of image, file',
  ],
  [
    'an image with two sources',
    story('- { upload asset: other, image: a, file: loader.test.ts }'),
    'a.yaml:4:7: upload asset needs exactly one of image, file',
  ],
  [
    'a file that does not exist',
    story('- { upload asset: other, file: none.png }'),
    'a.yaml:4:28: file does not exist: none.png',
  ],
  [
    'a request with two bodies',
    story('- { request: POST /x, json: {}, text: x }'),
    'a.yaml:4:35: text cannot be used with json: a request has only one body',
  ],
  [
    'copies without steps',
    story('- parallel: 3'),
    'a.yaml:4:5: parallel has a number of copies: add the steps to copy under steps',
  ],
  [
    'a nested problem',
    story('- repeat: 2', '  steps:', '    - parallel:', '        - - advance: 1x', '        - receiver: up'),
    'a.yaml:7:15: advance must be a duration, such as 250ms, 5s, 1h30m, 7d or PT5M',
  ],
  [
    'all at once, in the order of the file',
    story('- advance: 1x', '- juggle: 1', '- advance: 2x'),
    'a.yaml:4:5: advance must be a duration, such as 250ms, 5s, 1h30m, 7d or PT5M',
    'a.yaml:5:5: juggle is not a step: docs/scenarios.md lists all steps',
    'a.yaml:6:5: advance must be a duration, such as 250ms, 5s, 1h30m, 7d or PT5M',
  ],
]

test.each(CASES)('%s', async (_, text, ...problems) => {
  expect(await problemsIn(text)).toEqual(problems)
})

test('reads a valid file', async () => {
  expect(
    await problemsIn(story(MADE, `- { get payment: "\${payment.id}", expect: { status: 200 } }`)),
  ).toEqual([])
})

test('a value behind an anchor is reported where it is written', async () => {
  const text = `${HEAD}let:\n  wrong: &wrong { status: nowhere }\nsteps:\n  - { list payouts: {}, as: page }\n  - { expect payment: "\${page.id}", is: *wrong }`
  expect(await problemsIn(text)).toEqual([
    'a.yaml:4:19: there is no status nowhere: use one of pending, processing, succeeded, failed, expired',
  ])
})
