import type { Static, TObject, TProperties, TSchema } from '@sinclair/typebox'
import * as Type from '@sinclair/typebox'
import { createClient } from '../../client/create-client.ts'
import { controlOperations } from '../../contract/control/operations.ts'
import { isRecord, parseForeign } from '../../contract/json.ts'
import { createPaymentBody } from '../../contract/requests.ts'
import { resolveContract } from '../../contract/resolve-contract.ts'
import { object, oneOf } from '../../contract/schema.ts'
import { PAYMENT_TRIGGERS, PAYOUT_TRIGGERS } from '../../contract/statuses.ts'
import { PLAIN, readBelow, story } from '../../scenario/index.ts'
import { UsageError } from '../errors/cli-errors.ts'
import type { Agent, ToolAnswer } from './agent.ts'

/** What an agent can do, each with a description that says when to do it. */
export interface Tool {
  readonly description: string
  readonly changes: boolean
  readonly input: TSchema
  readonly run: (agent: Agent, given: never) => Promise<ToolAnswer>
}

interface ToolOf<P extends TProperties> extends Omit<Tool, 'input' | 'run'> {
  readonly input: P
  readonly run: (agent: Agent, given: Static<TObject<P>>) => Promise<ToolAnswer>
}

const tool = <P extends TProperties>({ input, ...its }: ToolOf<P>): Tool => ({ ...its, input: object(input) })

const account = Type.Optional(
  Type.String({ maxLength: 128, description: 'such as default.test; the one of this server by default' }),
)
const id = (of: string) => Type.String({ minLength: 1, maxLength: 128, description: `the id of a ${of}` })
const limit = Type.Optional(Type.Integer({ minimum: 1, maximum: 20, description: 'how many; 10 by default' }))

/** A tool takes what its call takes, because its schema is made of that of the call. */
const CALLS = controlOperations('any')
const FAULT_EXAMPLES = `Examples: lose the answer of the next creation: {"on":"POST /payment_intents","type":"reset","when":"after_commit","times":1}; refuse the next three calls: {"on":"*","type":"status","status":503,"times":3}; send every webhook twice: {"on":"webhook","type":"duplicate"}.`
const RULE_EXAMPLES = `Examples: decline large transfers: {"name":"large","match":{"amount":{"gte":"100000"}},"outcome":{"status":"failed","code":"insufficient_funds"}}; succeed after 30 s: {"outcome":{"after":"30s","status":"succeeded"}}; reject the first receipt: {"receipt":[{"verdict":"reject","message":"not legible"},{"verdict":"accept"}]}.`

const ACTIONS = [...new Set([...PAYMENT_TRIGGERS, ...PAYOUT_TRIGGERS])]

export const TOOLS: Readonly<Record<string, Tool>> = {
  status: tool({
    description:
      'Use first: the accounts, and for one of them its clock, counts by status, and what is due next.',
    changes: false,
    input: { account },
    async run({ control, accountOf, url }, given) {
      const its = accountOf(given.account)
      const [merchants, overview, timers] = await Promise.all([
        control.call('GET /merchants'),
        control.call('GET /accounts/:account/overview', its),
        control.call('GET /accounts/:account/timers', { ...its, query: { limit: 5 } }),
      ])
      const { clock, payments, payouts, webhooks } = overview
      return {
        says: `The simulator at ${url}. Its merchant API is there too; \`keys\` gives a program the keys.`,
        data: {
          account: its.params.account,
          clock,
          payments: payments.by_status,
          payouts: payouts.by_status,
          webhooks: { endpoints: webhooks.endpoints, ...webhooks.by_status },
          next: timers.data,
          accounts: merchants.data.flatMap(merchant => merchant.accounts.map(each => each.id)).slice(0, 50),
        },
        next: [
          'list finds records, why explains one',
          'refused_calls shows what the program under test did wrong, deliveries what became of webhooks',
        ],
      }
    },
  }),
  list: tool({
    description:
      'Use it to find a payment or a payout: the newest first, by status or by text in its reference or id.',
    changes: false,
    input: {
      account,
      kind: oneOf(['payments', 'payouts']),
      status: Type.Optional(
        Type.String({ maxLength: 128, description: 'one, or several separated by commas' }),
      ),
      text: Type.Optional(Type.String({ minLength: 1, maxLength: 128 })),
      limit,
    },
    async run({ control, accountOf }, given) {
      const query = { limit: given.limit ?? 10, status: given.status, q: given.text }
      const input = { ...accountOf(given.account), query }
      const found =
        given.kind === 'payments'
          ? await control.call('GET /accounts/:account/browse/payments', input)
          : await control.call('GET /accounts/:account/browse/payouts', input)
      return {
        says: `Found: ${found.total}; here: ${found.data.length}.`,
        data: found.data,
        next: ['why explains one of them'],
      }
    },
  }),
  why: tool({
    description:
      'Use it whenever something is not as expected: why a payment, payout, webhook delivery or request is as it is, what comes next, and who does it.',
    changes: false,
    input: { account, id: id('payment, payout, delivery or request') },
    async run({ control, recordOf }, given) {
      const its = recordOf(given.account, given.id)
      const why = await control.call('GET /accounts/:account/why/:id', its)
      return { says: `Why this ${why.kind} is as it is.`, data: why, next: afterWhy(why.kind, why.next?.by) }
    },
  }),
  history: tool({
    description:
      'Use it when `why` is not enough: all that happened to a payment or payout, with calls and webhooks in order.',
    changes: false,
    input: { account, id: id('payment or payout') },
    async run({ control, recordOf }, given) {
      const its = recordOf(given.account, given.id)
      const timeline = await control.call('GET /accounts/:account/timeline/:id', its)
      // The order of all its lists is for a page.
      const { order: _, ...data } = timeline
      return { says: 'What happened, oldest first, and what is planned.', data }
    },
  }),
  refused_calls: tool({
    description:
      'Use it when the program under test fails: its last calls that were refused (4xx, 5xx), newest first, with code and message.',
    changes: false,
    input: { account, limit },
    async run({ control, accountOf, recordOf }, given) {
      const { data: calls } = await control.call('GET /accounts/:account/requests', accountOf(given.account))
      const refused = calls.filter(({ status }) => status >= 400).slice(0, given.limit ?? 10)
      const data = await Promise.all(
        refused.map(async call => ({
          ...call,
          response: await control
            .call('GET /accounts/:account/requests/:id', recordOf(given.account, call.request_id))
            .then(
              detail => detail.response?.body ?? null,
              () => null,
            ),
        })),
      )
      return {
        says: `Calls kept: ${calls.length}; refused, and here: ${refused.length}.`,
        data,
        next: refused.length === 0 ? [] : ['why with a request_id says what to change'],
      }
    },
  }),
  deliveries: tool({
    description:
      'Use it when a webhook does not arrive or is not taken: the endpoints, and the last deliveries, of one payment or of all, with the answer of the endpoint.',
    changes: false,
    input: {
      account,
      payment: Type.Optional(id('payment or payout')),
      status: Type.Optional(Type.String({ maxLength: 128, description: 'such as failing,failed' })),
      limit,
    },
    async run({ control, accountOf }, given) {
      const its = accountOf(given.account)
      const query = { limit: given.limit ?? 10, status: given.status, q: given.payment }
      const [endpoints, found] = await Promise.all([
        control.call('GET /accounts/:account/webhook-endpoints', its),
        control.call('GET /accounts/:account/browse/webhook-deliveries', { ...its, query }),
      ])
      return {
        says: `Endpoints: ${endpoints.data.length}; deliveries found: ${found.total}, here: ${found.data.length}.`,
        data: { endpoints: endpoints.data, deliveries: found.data },
        next: [
          'why with the id of a delivery says what the endpoint answered',
          'redeliver sends one again, once the endpoint is mended; advance brings the next attempt',
        ],
      }
    },
  }),
  what_next: tool({
    description:
      'Use it to see what will happen by itself: the next timers of the account, with their times.',
    changes: false,
    input: { account, limit },
    async run({ control, accountOf }, given) {
      const its = accountOf(given.account)
      const query = { limit: given.limit ?? 10 }
      const [clock, timers] = await Promise.all([
        control.call('GET /accounts/:account/clock', its),
        control.call('GET /accounts/:account/timers', { ...its, query }),
      ])
      return {
        says: `The clock is ${clock.mode}; pending timers: ${clock.pending_timers}.`,
        data: { now: clock.now, timers: timers.data },
        next: clock.mode === 'virtual' ? ['advance makes them happen'] : ['act makes one of them happen now'],
      }
    },
  }),
  keys: tool({
    description:
      'Use it when a program needs the address and the keys: writes them to an environment file that only you can read, and gives its path. The secrets themselves are never in an answer.',
    changes: true,
    input: { account },
    async run(agent, given) {
      const path = await agent.writeKeys(given.account)
      return {
        says: `The variables are in ${path}. It is removed when this server ends.`,
        next: [`In a shell: set -a; . ${path}; set +a`],
      }
    },
  }),
  create_payment: tool({
    description:
      'Use it to have a payment to look at: creates one as the merchant does, without the program under test. Amounts are in minor units.',
    changes: true,
    input: { account, ...createPaymentBody(resolveContract()).properties },
    async run(agent, { account: named, ...body }) {
      const keys = await agent.keysOf(named)
      const { 'create.path': createPath } = await agent.control.contract()
      const path = typeof createPath?.value === 'string' ? createPath.value : undefined
      const client = createClient({ baseUrl: agent.url, ...keys, createPath: path, retries: 0 })
      try {
        const payment = await client.payments.create(body as never)
        return {
          says: `Created ${payment.id}, which is ${payment.status}.`,
          data: payment,
          next: [`why says what ${payment.id} waits for`, 'act and advance move it'],
        }
      } finally {
        await client.close()
      }
    },
  }),
  create_payout: tool({
    description:
      'Use it to have a payout to look at. It waits for approval unless a rule or `status` says otherwise.',
    changes: true,
    input: { account, ...CALLS['POST /accounts/:account/payouts'].body.json.properties },
    async run({ control, accountOf }, { account: named, ...body }) {
      const payout = await control.call('POST /accounts/:account/payouts', { ...accountOf(named), body })
      return {
        says: `Created ${payout.id}, which is ${payout.status}.`,
        data: payout,
        next: ['act approves it'],
      }
    },
  }),
  act: tool({
    description: `Use it to make happen what the provider, the payer or an operator does to a payment or payout, at once: ${ACTIONS.join(', ')}, or choose (the payer's method on the hosted page).`,
    changes: true,
    input: {
      account,
      id: id('payment or payout'),
      action: oneOf([...ACTIONS, 'choose']),
      failure_code: Type.Optional(Type.String({ minLength: 1, maxLength: 256 })),
      failure_message: Type.Optional(Type.String({ minLength: 1, maxLength: 1024 })),
      choice: Type.Optional(
        object(CALLS['POST /accounts/:account/payments/:id/choose'].body.json.properties),
      ),
    },
    async run({ control, recordOf }, { account: named, id: of, action, choice, ...reason }) {
      const kind = of.startsWith('po_') ? 'payouts' : 'payments'
      const call = `POST /accounts/:account/${kind}/:id/${action}` as const
      if (!(call in CALLS))
        throw new UsageError(`${action} is nothing that happens to a ${kind.slice(0, -1)}`)
      if (action === 'choose' && choice === undefined)
        throw new UsageError('choose needs `choice`, with the code of a method')
      const record = await control.call(call as 'POST /accounts/:account/payments/:id/succeed', {
        ...recordOf(named, of),
        body: action === 'choose' ? (choice as never) : reason,
      })
      return {
        says: `It is ${record.status} now.`,
        data: record,
        next: ['deliveries shows the webhook of it'],
      }
    },
  }),
  advance: tool({
    description:
      'Use it to make time pass on a virtual clock: `by` a duration (5s, 2h), `to` a time, or `until` idle, so that everything that is due happens. It returns when the account is quiet.',
    changes: true,
    input: { account, ...CALLS['POST /accounts/:account/clock/advance'].body.json.properties },
    async run({ control, accountOf }, { account: named, ...body }) {
      const its = accountOf(named)
      const { mode } = await control.call('GET /accounts/:account/clock', its)
      if (mode === 'real')
        throw new UsageError(
          `the clock of ${its.params.account} is real, so time passes by itself: use act, or set it with \`paysim sim clock set virtual\``,
        )
      const data = await control.call('POST /accounts/:account/clock/advance', { ...its, body })
      return { says: `Timers fired: ${data.fired}.`, data, next: ['status shows what changed'] }
    },
  }),
  rules: tool({
    description: `Use it to script what the provider does with later payments and payouts: adds rules in front of those in force; an empty list restores the standard rules. ${RULE_EXAMPLES}`,
    changes: true,
    input: { account, ...CALLS['POST /accounts/:account/rules'].body.json.properties },
    async run({ control, accountOf }, { account: named, rules }) {
      const its = accountOf(named)
      const state =
        rules.length === 0
          ? await control.call('DELETE /accounts/:account/rules', its)
          : await control.call('POST /accounts/:account/rules', { ...its, body: { rules } })
      return {
        says: `Rules in force: ${state.rules.length}; the first that matches applies.`,
        data: state,
      }
    },
  }),
  faults: tool({
    description: `Use it to disturb calls and webhooks, and see whether the program survives: replaces all faults; an empty list removes them. ${FAULT_EXAMPLES}`,
    changes: true,
    input: { account, faults: CALLS['PUT /accounts/:account/faults'].body.json.properties.faults },
    async run({ control, accountOf }, { account: named, faults }) {
      const state = await control.call('PUT /accounts/:account/faults', {
        ...accountOf(named),
        body: { faults },
      })
      return { says: `Faults set: ${state.faults.length}.`, data: state }
    },
  }),
  redeliver: tool({
    description: 'Use it once an endpoint is mended: makes one more attempt of a webhook delivery now.',
    changes: true,
    input: { account, id: id('delivery') },
    async run({ control, recordOf }, given) {
      const its = recordOf(given.account, given.id)
      const data = await control.call('POST /accounts/:account/webhook-deliveries/:id/redeliver', its)
      return { says: `The attempt is on its way; it is ${data.status}.`, data, next: [`why ${given.id}`] }
    },
  }),
  run_scenario: tool({
    description:
      'Use it to play a story of merchant, payer and provider steps in an account of its own, and to check what you expect. The text is YAML as in the resource docs/scenarios.md, without `app`, files and addresses.',
    changes: true,
    input: { text: Type.String({ minLength: 1, maxLength: 65_536 }) },
    async run(agent, { text }) {
      const { playText } = await import('./scenario-text.ts')
      const result = await playText(text, agent)
      return {
        says: result.ok ? 'The scenario passed.' : 'The scenario failed.',
        data: story(result, PLAIN, { brief: false }),
        failed: !result.ok,
      }
    },
  }),
  explore_report: tool({
    description:
      'Use it after `paysim explore --report json=FILE`: what the application does not survive, and how to repeat each finding.',
    changes: false,
    input: {
      file: Type.String({
        minLength: 1,
        maxLength: 1024,
        description: 'the path of the report, below the folder in which paysim was started',
      }),
    },
    run: (_, { file }) => exploreReport(file),
  }),
}

function afterWhy(kind: string, by: string | undefined): string[] {
  if (kind === 'request') return ['change the call as it says, then make it again']
  if (by === 'timer' || by === 'courier') return ['advance makes it happen, if the clock is virtual']
  if (by === 'payer' || by === 'operator') return ['act does what it waits for']
  return kind === 'delivery' ? ['redeliver sends it again'] : ['deliveries shows its webhooks']
}

/**
 * The findings of the JSON report of an exploration. Any other file is refused, and what is no regular file below the
 * folder is not even opened for long: it could be the stream of the agent itself.
 */
async function exploreReport(file: string): Promise<ToolAnswer> {
  const report = parseForeign(String(await readBelow(process.cwd(), file).catch(() => '')))
  if (!isRecord(report) || !Array.isArray(report.explorations))
    throw new UsageError(
      'this file is not the report of an exploration below this folder: make one with `paysim explore FILE --report json=FILE`',
    )
  const explorations = report.explorations.filter(isRecord).map(({ file, name, verdict, findings }) => ({
    file,
    name,
    verdict,
    findings: (Array.isArray(findings) ? findings : []).filter(isRecord).map(essentials),
  }))
  const count = explorations.reduce((sum, { findings }) => sum + findings.length, 0)
  return {
    says: count === 0 ? 'The application survived all that was tried.' : `Findings: ${count}.`,
    data: explorations,
    next: count === 0 ? [] : ['`paysim run` with the saved file repeats a finding'],
  }
}

/** Without the application's output, which may be long. */
const ESSENTIALS = ['kinds', 'message', 'expected', 'actual', 'saved', 'advice', 'guide']

const essentials = (finding: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(ESSENTIALS.map(name => [name, finding[name]]))
