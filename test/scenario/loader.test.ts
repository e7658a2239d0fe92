import { expect, test } from 'vitest'
import { readScenario, ScenarioError } from '../../src/scenario/index.ts'

// A file that cannot be run says where it is wrong, and what was meant.

const HEAD = 'paysim: 1\nname: x\n'
/** Four lines of a story: what is tested begins on line 4. */
const story = (...lines: string[]) => `${HEAD}steps:\n${lines.map(line => `  ${line}\n`).join('')}`
const MADE = '- { create payment: { amount: "1" }, as: payment }'

async function faultsIn(text: string): Promise<string[]> {
  try {
    await readScenario(text, { file: 'a.yaml', folder: import.meta.dirname })
  } catch (error) {
    if (error instanceof ScenarioError) return error.message.split('\n')
    throw error
  }
  return []
}

const CASES: [what: string, text: string, ...faults: string[]][] = [
  ['nothing at all', '', 'a.yaml:1:1: a scenario must be an object'],
  ['a list', '- 1', 'a.yaml:1:1: a scenario must be an object'],
  ['no version', 'name: x', 'a.yaml:1:1: paysim is required'],
  [
    'no name, and more that is wrong: all of it at once',
    'paysim: 1\nsed: 7\nprovider:\n  - { match: { kind: payout }, receipt: manual }\nsteps:\n  - { advanse: 5s }\n  - { expect payment: "${nobody}", is: {} }',
    'a.yaml:1:1: name is required',
    'a.yaml:2:1: sed is not a known key; did you mean seed?',
    'a.yaml:4:32: receipt is only for payments, but the rule matches payouts',
    'a.yaml:6:7: advanse is no step; did you mean advance?',
    'a.yaml:7:7: ${nobody} refers to nothing captured before',
  ],
  [
    'a clock that cannot be read: what depends on it is not said to be wrong',
    'paysim: 1\nclock: virtal\nfaults:\n  - { on: "*", type: truncat }\nsteps:\n  - { advance: 5s }',
    'a.yaml:1:1: name is required',
    'a.yaml:2:1: clock must be one of virtual, real; did you mean virtual?',
    'a.yaml:4:16: type must be one of latency, status, reset, empty, truncate, garbage, drip, delay, duplicate, drop, reorder, bad_signature; did you mean truncate?',
  ],
  ['another version', 'paysim: 2\nname: x', 'a.yaml:1:1: paysim must be 1'],
  [
    'text that is no YAML',
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
    'a.yaml:3:20: verify asks whether every rule was used, and this file has none: add one under provider, or leave out rules',
  ],
  [
    'a file whose last rule was taken out, and whose steps take them out too',
    `${HEAD}provider: []\nsteps: [{ set rules: [] }]\nverify:\n  - rules`,
    'a.yaml:6:5: verify asks whether every rule was used, and this file has none: add one under provider, or leave out rules',
  ],
  [
    'a file that verifies faults, and has none',
    `${HEAD}verify: [faults]`,
    'a.yaml:3:10: verify asks whether every fault was hit, and this file has none: add one under faults, or leave out faults',
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
    'a.yaml:4:16: type must be one of latency, status, reset, empty, truncate, garbage, drip, delay, duplicate, drop, reorder, bad_signature; did you mean truncate?',
  ],
  [
    'a fault on no operation',
    `${HEAD}faults:\n  - { on: POST /payment_intent, type: reset }`,
    'a.yaml:4:7: on is not an operation; did you mean POST /payment_intents?',
  ],
  [
    'a catalogue that does not hold together',
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
    'a check that is none',
    `${HEAD}verify: [rule]`,
    'a.yaml:3:10: verify.0 must be one of rules, faults, intents, webhooks; did you mean rules?',
  ],
  [
    'a step that is none',
    story('- creat payment: {}'),
    'a.yaml:4:5: creat payment is no step; did you mean create payment?',
  ],
  [
    'a step that says half of what it is, with a slip of the pen',
    story('- creat: {}'),
    'a.yaml:4:5: creat is no step; did you mean create payment?',
  ],
  [
    'a step that says half of what it is',
    story('- create: {}'),
    'a.yaml:4:5: create is no step; did you mean create payment?',
  ],
  [
    'a step that is nothing like one',
    story('- juggle: {}'),
    'a.yaml:4:5: juggle is no step: docs/scenarios.md lists them',
  ],
  ['a step that is no object', story('- advance'), 'a.yaml:4:5: steps.0 must be an object'],
  [
    'a step that does two things',
    story('- { advance: 1s, receiver: up }'),
    'a.yaml:4:20: a step does one thing: this one says advance and receiver',
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
    'a.yaml:5:5: advance needs a virtual clock, and this one is real',
  ],
  [
    'an advance once the clock is real',
    story('- set clock: real', '- advance: 5s'),
    'a.yaml:5:5: advance needs a virtual clock, and this one is real',
  ],
  [
    'a trigger that is none',
    story(MADE, `- { trigger: suceed, payment: "\${payment.id}" }`),
    'a.yaml:5:7: trigger must be one of present-action, withdraw-action, succeed, fail, expire, accept-receipt, reject-receipt, confirm-cancel; did you mean succeed?',
  ],
  [
    'a reference to nothing',
    story(MADE, `- get payment: \${paymnt.id}`),
    'a.yaml:5:5: ${paymnt.id} refers to nothing captured before; did you mean payment?',
  ],
  [
    'a reference to what comes later',
    story(`- get payment: \${payment.id}`, MADE),
    'a.yaml:4:5: ${payment.id} refers to nothing captured before',
  ],
  [
    'a count outside a repetition',
    story(`- get payment: \${n}`),
    'a.yaml:4:5: ${n} refers to nothing captured before',
  ],
  [
    'a branch that refers to its sister',
    story('- parallel:', '    - { list payouts: {}, as: page }', `    - get payment: \${page.id}`),
    'a.yaml:6:9: ${page.id} refers to nothing captured before',
  ],
  [
    'a name that is none',
    story('- { list payouts: {}, as: Page 1 }'),
    'a.yaml:4:25: as must match ^[a-z][a-z0-9_]*$ (a name to refer to it by: lower-case letters, digits and _)',
  ],
  [
    'the same as nothing',
    story('- { list payouts: {}, expect: { same as: first } }'),
    'a.yaml:4:35: first is no answer captured before',
  ],
  [
    'an expectation of nothing',
    story('- { list payouts: {}, expect: {} }'),
    'a.yaml:4:25: expect says nothing of the answer',
  ],
  [
    'a lost answer with a status',
    story('- { list payouts: {}, expect: { lost: true, status: 200 } }'),
    'a.yaml:4:35: an answer that is lost has nothing else to expect',
  ],
  [
    'an error code that is none',
    story('- { list payouts: {}, expect: { error: not_fond } }'),
    'a.yaml:4:35: error must be one of validation_failed, unauthorized, checkout_mode_not_allowed, not_found, method_not_allowed, idempotency_conflict, idempotency_in_progress, payload_too_large, unsupported_media_type, payment_configuration_unavailable, routing_unavailable, provider_capability_unsupported, invalid_state, rate_limited, internal_error, service_unavailable; did you mean not_found?',
  ],
  [
    'an operator that is none',
    story('- { expect value: 1, is: { $liek: x } }'),
    'a.yaml:4:30: $liek is no operator; did you mean $like?',
  ],
  [
    'an operator with the wrong argument',
    story('- { expect value: 1, is: { $in: x } }'),
    'a.yaml:4:30: $in takes a list',
  ],
  [
    'an operator beside a key',
    story('- { expect value: 1, is: { $like: x, a: 1 } }'),
    'a.yaml:4:30: $like stands beside plain keys: put it inside one of them',
  ],
  [
    'a payment status that does not exist',
    story(MADE, `- { expect payment: "\${payment.id}", is: { status: canceled } }`),
    'a.yaml:5:46: there is no status canceled: it is one of pending, processing, succeeded, failed, expired',
  ],
  [
    'one inside an operator',
    story(MADE, `- { expect payment: "\${payment.id}", is: { status: { $in: [pending, procesing] } } }`),
    'a.yaml:5:71: there is no status procesing; did you mean processing?',
  ],
  [
    'a receipt status that does not exist',
    story(MADE, `- { expect receipt: "\${payment.id}", is: acepted }`),
    'a.yaml:5:40: there is no type acepted: it is one of required, processing, submitted, rejected',
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
    'a happening that does not exist',
    story(MADE, `- { expect history: "\${payment.id}", none: PaymentSuceeded }`),
    'a.yaml:5:40: there is no type PaymentSuceeded; did you mean PaymentSucceeded?',
  ],
  [
    'a list that nothing is said of',
    story('- expect webhooks: all'),
    'a.yaml:4:5: expect webhooks says nothing of the list: add exactly, include, count, none',
  ],
  [
    'an image from nowhere',
    story('- upload asset: other'),
    'a.yaml:4:5: upload asset takes one of image, file',
  ],
  [
    'an image from two places',
    story('- { upload asset: other, image: a, file: loader.test.ts }'),
    'a.yaml:4:7: upload asset takes one of image, file',
  ],
  [
    'a file that is not there',
    story('- { upload asset: other, file: none.png }'),
    'a.yaml:4:28: file names no file: none.png',
  ],
  [
    'a request with two bodies',
    story('- { request: POST /x, json: {}, text: x }'),
    'a.yaml:4:35: text stands beside json: a request has one body',
  ],
  [
    'copies of nothing',
    story('- parallel: 3'),
    'a.yaml:4:5: parallel says how many, but not of what: steps is missing',
  ],
  [
    'a fault deep inside',
    story('- repeat: 2', '  steps:', '    - parallel:', '        - - advance: 1x', '        - receiver: up'),
    'a.yaml:7:15: advance must be a duration, such as 250ms, 5s, 1h30m, 7d or PT5M',
  ],
  [
    'all at once, in the order of the file',
    story('- advance: 1x', '- juggle: 1', '- advance: 2x'),
    'a.yaml:4:5: advance must be a duration, such as 250ms, 5s, 1h30m, 7d or PT5M',
    'a.yaml:5:5: juggle is no step: docs/scenarios.md lists them',
    'a.yaml:6:5: advance must be a duration, such as 250ms, 5s, 1h30m, 7d or PT5M',
  ],
]

test.each(CASES)('%s', async (_, text, ...faults) => {
  expect(await faultsIn(text)).toEqual(faults)
})

test('what is right is read', async () => {
  expect(await faultsIn(story(MADE, `- { get payment: "\${payment.id}", expect: { status: 200 } }`))).toEqual(
    [],
  )
})

test('values behind an anchor have the place where they are used', async () => {
  const text = `${HEAD}let:\n  wrong: &wrong { status: nowhere }\nsteps:\n  - { list payouts: {}, as: page }\n  - { expect payment: "\${page.id}", is: *wrong }`
  expect(await faultsIn(text)).toEqual([
    'a.yaml:4:19: there is no status nowhere: it is one of pending, processing, succeeded, failed, expired',
  ])
})
