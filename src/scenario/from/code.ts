import { formatDuration } from '../../contract/durations.ts'
import { CLOCK_BEGINS } from '../schema/account.ts'
import { type Act, IdOf, Moment, type Story, type Values } from './story.ts'
import { escaped, UNSEEN, waits, writtenAt } from './yaml.ts'

/** A story as a test of vitest, with the library. */
export function vitestOf(story: Story): string {
  const { name, environment, checkoutModes, rules, catalogue, acts } = story
  const settings = {
    environment,
    clock: { mode: 'virtual', now: CLOCK_BEGINS },
    checkoutModes,
    rules,
    ...(catalogue ? { catalogue } : {}),
  }
  const sends = acts.some(act => 'image' in act)
  return file([
    `import { startSimulator } from 'paysim'`,
    `import { expect, onTestFinished, test } from 'vitest'`,
    '',
    ...(sends ? [...comment('//'), `const png = Buffer.from('${PNG}', 'base64')`] : []),
    ...(sends ? [`const imageOf = (name: string) => Buffer.concat([png, Buffer.from(name)])`, ''] : []),
    `test(${text(name)}, async () => {`,
    `  const simulator = await startSimulator()`,
    `  onTestFinished(() => simulator.stop())`,
    `  const account = await simulator.createAccount(${js(settings, 2)})`,
    ...acts.flatMap(act => [...(looksBack(act) ? [] : ['']), ...inVitest(act).map(line => `  ${line}`)]),
    `})`,
  ])
}

/** A story as a test of pytest, with the client of `paysim client python`. */
export function pytestOf(story: Story): string {
  const { name, environment, checkoutModes, rules, catalogue, acts } = story
  const settings = {
    environment,
    clock: { mode: 'virtual', now: CLOCK_BEGINS },
    checkout_modes: checkoutModes,
    rules,
    ...(catalogue ? { catalogue } : {}),
  }
  const sends = acts.some(act => 'image' in act)
  return file([
    ...(sends ? ['import base64', ''] : []),
    `from paysim import Simulator`,
    '',
    ...(sends ? [...comment('#'), `PNG = base64.b64decode("${PNG}")`, ''] : []),
    '',
    `def test_what_was_done() -> None:`,
    `    ${text(name)}`,
    `    with Simulator.shared().create_account(${keywords(settings, 4)}) as account:`,
    ...acts.flatMap((act, at) => [
      ...(at === 0 ? [] : ['']),
      ...inPytest(act).map(line => `        ${line}`),
    ]),
  ])
}

/** What is seen belongs to what was done before. */
const looksBack = (act: Act) => act.act === 'look' && !act.whole

const file = (lines: readonly string[]) => `${lines.join('\n').replace(UNSEEN, escaped)}\n`

/** One pixel. The bytes behind it are not looked at, so that each name gives another image. */
const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const comment = (mark: string) => [`${mark} An image of one pixel; a name behind it makes it another one.`]

function inVitest(act: Act): string[] {
  const key = 'key' in act && act.key !== undefined ? `idempotencyKey: ${text(act.key)}` : undefined
  const options = key === undefined ? '' : `, { ${key} }`
  const seen = (value: string, values: Values) => `expect(${value}).toMatchObject(${js(nested(values), 2)})`
  const failure = 'failure' in act ? failureIn(act.failure) : {}
  const reason = Object.keys(failure).length === 0 ? '' : `, ${js(failure, 2)}`
  switch (act.act) {
    case 'create payment':
      return [
        `const ${act.as} = await account.client.payments.create(${js(act.body, 2)}${options})`,
        seen(act.as, act.seen),
      ]
    case 'choose':
      return [
        `await account.payments.choose(${act.payment}.id, ${js({ method: act.method, ...act.fields }, 2)})`,
      ]
    case 'trigger':
      return [`await account.payments.trigger(${act.payment}.id, '${act.trigger}'${reason})`]
    case 'send receipt':
      return [`await account.payments.sendReceipt(${act.payment}.id, imageOf('${act.image}'))`]
    case 'submit receipt': {
      const sent = `{ file: imageOf('${act.image}'), ${key} }`
      return [seen(`await account.client.payments.submitReceipt(${act.payment}.id, ${sent})`, act.seen)]
    }
    case 'submit asset': {
      const sent = `{ assetId: ${act.asset}.id }`
      return [seen(`await account.client.payments.submitReceipt(${act.payment}.id, ${sent})`, act.seen)]
    }
    case 'cancel payment':
      return [seen(`await account.client.payments.cancel(${act.payment}.id${options})`, act.seen)]
    case 'upload asset':
      return [`const ${act.as} = await account.assets.upload(imageOf('${act.image}'))`]
    case 'create payout':
      return [`const ${act.as} = await account.payouts.create(${js(act.body, 2)})`]
    case 'move payout':
      return [`await account.payouts.${act.to}(${act.payout}.id${reason})`]
    case 'cancel payout': {
      const why = act.reason === null ? '' : `, { reason: ${text(act.reason)} }`
      return [seen(`await account.client.payouts.cancel(${act.payout}.id${why})`, act.seen)]
    }
    case 'advance':
      return waits(act.ms).map(ms => `await account.clock.advance('${formatDuration(ms)}')`)
    case 'look': {
      const client = act.whole || act.kind === 'payout' ? 'account' : 'account.client'
      return [seen(`await ${client}.${act.kind}s.get(${act.at}.id)`, act.seen)]
    }
    case 'webhooks': {
      const expected = js(act.seen.map(nested), 2)
      const facts = '({ type, data: { id: data.id, status: data.status } })'
      return [
        `await account.clock.advance('0s')`,
        `const webhooks = account.webhooks.all().map(({ type, data }) => ${facts})`,
        `expect(webhooks).toHaveLength(${act.seen.length})`,
        `expect(webhooks).toEqual(${act.inOrder ? expected : `expect.arrayContaining(${expected})`})`,
      ]
    }
    case 'set':
      return [
        ...(act.catalogue ? [`await account.catalogue.replace(${js(act.catalogue, 2)})`] : []),
        ...(act.rules ? [`await account.rules.replace(${js(act.rules, 2)})`] : []),
      ]
  }
}

function inPytest(act: Act): string[] {
  const key = 'key' in act && act.key !== undefined ? { idempotency_key: act.key } : {}
  const failure = 'failure' in act ? failureIn(act.failure) : {}
  const id = 'payment' in act ? `${act.payment}["id"]` : 'payout' in act ? `${act.payout}["id"]` : ''
  const call = (method: string, first: string, given: object = {}) => {
    const more = keywords(given, 8)
    return `account.${method}(${[first, more].filter(part => part !== '').join(', ')})`
  }
  const seen = (of: string, values: Values) =>
    Object.entries(values).map(([path, value]) => {
      const members = path.split('.').map(member => `["${member}"]`)
      const expected = python(value, 8)
      return `assert ${of}${members.join('')} ${expected === 'None' ? 'is' : '=='} ${expected}`
    })
  const checked = (answer: string, values: Values) => [`answer = ${answer}`, ...seen('answer', values)]
  switch (act.act) {
    case 'create payment':
      return [
        `${act.as} = ${call('merchant.create_payment', '', { ...act.body, ...key })}`,
        ...seen(act.as, act.seen),
      ]
    case 'choose':
      return [call('choose_method', id, { method: act.method, ...act.fields })]
    case 'trigger':
      return [call(`${act.trigger.replaceAll('-', '_')}_payment`, id, failure)]
    case 'send receipt':
      return [call('send_receipt', `${id}, file=PNG + b"${act.image}"`)]
    case 'submit receipt':
      return checked(call('merchant.submit_receipt', `${id}, file=PNG + b"${act.image}"`, key), act.seen)
    case 'submit asset':
      return checked(call('merchant.submit_receipt', `${id}, asset_id=${act.asset}["id"]`), act.seen)
    case 'cancel payment':
      return checked(call('merchant.cancel_payment', id, key), act.seen)
    case 'upload asset':
      return [`${act.as} = ${call('upload_asset', `file=PNG + b"${act.image}"`)}`]
    case 'create payout':
      return [`${act.as} = ${call('create_payout', '', act.body)}`]
    case 'move payout':
      return [call(`${act.to}_payout`, id, failure)]
    case 'cancel payout':
      return checked(
        call('merchant.cancel_payout', id, act.reason === null ? {} : { reason: act.reason }),
        act.seen,
      )
    case 'advance':
      return waits(act.ms).map(ms => call('advance_clock', '', { by: formatDuration(ms) }))
    case 'look': {
      const method = act.whole || act.kind === 'payout' ? `read_${act.kind}` : 'merchant.get_payment'
      return checked(call(method, `${act.at}["id"]`), act.seen)
    }
    case 'webhooks':
      return [
        call('advance_clock', '', { by: '0s' }),
        `assert len(account.webhooks.all()) == ${act.seen.length}`,
        ...act.seen.flatMap(({ type, 'data.id': about, 'data.status': status }) => [
          `event = account.webhooks.next(${python(type, 8)}, id=${python(about, 8)})`,
          `assert event["data"]["status"] == ${python(status, 8)}`,
        ]),
      ]
    case 'set':
      return [
        ...(act.catalogue ? [call('replace_catalogue', '', act.catalogue)] : []),
        ...(act.rules ? [call('replace_rules', '', { rules: act.rules })] : []),
      ]
  }
}

const failureIn = ({ code, message }: { readonly code?: string; readonly message?: string }) => ({
  ...(code === undefined ? {} : { failure_code: code }),
  ...(message === undefined ? {} : { failure_message: message }),
})

/** `{ 'receipt.status': x }` as `{ receipt: { status: x } }`. */
function nested(values: Values): Values {
  const made: Record<string, Record<string, unknown> | unknown> = {}
  for (const [path, value] of Object.entries(values)) {
    const [first = '', second] = path.split('.')
    made[first] = second === undefined ? value : { ...(made[first] as object), [second]: value }
  }
  return made as Values
}

/** A text of JSON is one of both languages too. */
const text = (value: string) => JSON.stringify(value)

interface Language {
  readonly words: Readonly<Record<'true' | 'false' | 'null', string>>
  readonly key: (name: string) => string
  readonly id: (name: string) => string
  /** How much deeper what is inside stands. */
  readonly indent: number
}

const JS: Language = {
  words: { true: 'true', false: 'false', null: 'null' },
  // In quotes, this one would be the prototype.
  key: name =>
    name === '__proto__' ? '["__proto__"]' : /^[A-Za-z_]\w*$/.test(name) ? name : JSON.stringify(name),
  id: name => `${name}.id`,
  indent: 2,
}
const PYTHON: Language = {
  words: { true: 'True', false: 'False', null: 'None' },
  key: text,
  id: name => `${name}["id"]`,
  indent: 4,
}

const js = (value: unknown, column: number) => literal(value, JS, column)
const python = (value: unknown, column: number) => literal(value, PYTHON, column)

/** The longest literal that takes one line. */
const LONGEST = 80

function literal(value: unknown, language: Language, column: number): string {
  if (value instanceof IdOf) return language.id(value.name)
  if (value instanceof Moment) return text(writtenAt(value))
  if (typeof value === 'string') return text(value)
  if (value === null || typeof value === 'boolean') return language.words[`${value}`]
  if (typeof value !== 'object') return String(value)
  const inside = column + language.indent
  const items = Array.isArray(value)
    ? value.map(item => literal(item, language, inside))
    : members(value).map(([key, item]) => `${language.key(key)}: ${literal(item, language, inside)}`)
  return enclosed(items, Array.isArray(value) ? '[]' : '{}', language, column)
}

const members = (value: object) => Object.entries(value).filter(([, inner]) => inner !== undefined)

function enclosed(items: readonly string[], brackets: string, language: Language, column: number): string {
  const [open = '', close = ''] = brackets
  if (items.length === 0) return brackets
  const space = language === JS && open === '{' ? ' ' : ''
  const line = `${open}${space}${items.join(', ')}${space}${close}`
  if (line.length <= LONGEST && !line.includes('\n')) return line
  const indent = ' '.repeat(column + language.indent)
  return `${open}\n${items.map(item => `${indent}${item},\n`).join('')}${' '.repeat(column)}${close}`
}

/** The arguments of a call by their names. */
function keywords(given: object, column: number): string {
  const items = members(given).map(([name, value]) => `${name}=${python(value, column + PYTHON.indent)}`)
  const line = items.join(', ')
  if (line.length <= LONGEST && !line.includes('\n')) return line
  const indent = ' '.repeat(column + PYTHON.indent)
  return `\n${items.map(item => `${indent}${item},\n`).join('')}${' '.repeat(column)}`
}
