import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const OPERATIONS = fileURLToPath(new URL('../../src/contract/control/operations.ts', import.meta.url))
const SHAPES = fileURLToPath(new URL('../../src/client/control-shapes.json', import.meta.url))
const FORMATTER = fileURLToPath(new URL('../../node_modules/@biomejs/biome/bin/biome', import.meta.url))

/**
 * What the client checks in each answer of the control surface, as data. The schemas themselves would take too long to
 * load for a command.
 */
export async function answerShapes() {
  const { controlOperations } = await imported(OPERATIONS)
  const operations = controlOperations('any')
  const made = await callsOfClient(Object.keys(operations))
  const named = {}
  const calls = {}
  for (const [call, { answers }] of Object.entries(operations)) {
    if (!made.has(call)) continue
    const success = Object.keys(answers).find(status => status.startsWith('2'))
    const answer = answers[success]
    if (answer === null) calls[call] = 'nothing'
    else if (!('media' in answer)) calls[call] = shapeOf(answer, named)
  }
  return execFileSync(process.execPath, [FORMATTER, 'format', `--stdin-file-path=${SHAPES}`], {
    encoding: 'utf8',
    input: JSON.stringify({ calls, named }),
  })
}

/** The arguments for functions of the client that cannot be called without any. */
const ARGUMENTS = {
  'clock.set': ['virtual'],
  'clock.advance': ['1s'],
  'assets.upload': [new Uint8Array()],
}

/** The operations that the client asks for: each of its functions is called, and its request is not sent. */
async function callsOfClient(operations) {
  const { ControlClient } = await import('../../dist/index.js')
  const requested = []
  const transport = {
    open({ method, path }) {
      requested.push(`${method} ${path}`)
      throw new Error('not sent')
    },
    close() {},
  }
  const client = new ControlClient({ controlUrl: 'http://localhost', token: '' }, { transport })
  const made = new Set()
  const own = Object.getOwnPropertyNames(ControlClient.prototype)
    .filter(name => !['constructor', 'account', 'close'].includes(name))
    .map(name => [name, client[name].bind(client)])
  const account = client.account('any')
  for (const [name, call] of [...own, ...functionsIn({ ...client }), ...functionsIn(account)]) {
    // Any trigger of these records.
    if (name.endsWith('.trigger')) {
      const [records] = name.split('.')
      for (const operation of operations)
        if (new RegExp(`^POST /accounts/:account/${records}/:id/`).test(operation)) made.add(operation)
      continue
    }
    const before = requested.length
    const answer = call(...(ARGUMENTS[name] ?? []))
    await (answer?.next?.() ?? answer)?.then(undefined, () => {})
    const operation = operations.find(operation =>
      requested.slice(before).some(request => isOf(operation, request)),
    )
    if (operation === undefined)
      throw new Error(
        `${name}() of the client asks for no known operation: give it ARGUMENTS in ${import.meta.url}`,
      )
    made.add(operation)
  }
  return made
}

function functionsIn(calls, prefix = '') {
  return Object.entries(calls).flatMap(([name, value]) => {
    if (typeof value === 'function') return [[`${prefix}${name}`, value]]
    return typeof value === 'object' ? functionsIn(value, `${prefix}${name}.`) : []
  })
}

function isOf(operation, request) {
  const pattern = operation.replaceAll(/:\w+/g, '[^/?]+').replaceAll('.', '\\.')
  return new RegExp(`^${pattern}(\\?|$)`).test(request)
}

/** A short form of a schema: its members and their kinds, but not their possible values. */
function shapeOf(schema, named) {
  if (schema.title === undefined) return plainShape(schema, named)
  if (!(schema.title in named)) {
    named[schema.title] = 'object'
    named[schema.title] = plainShape(schema, named)
  }
  return `#${schema.title}`
}

function plainShape(schema, named) {
  if (schema.anyOf) return ofAny(schema.anyOf, named)
  switch (schema.type) {
    case 'integer':
      return 'number'
    case 'array':
      return schema.items ? { list: shapeOf(schema.items, named) } : 'list'
    case 'object':
      return ofObject(schema, named)
    default:
      return schema.type ?? 'any'
  }
}

function ofObject({ properties = {}, patternProperties, required = [] }, named) {
  const [values] = Object.values(patternProperties ?? {})
  if (values) return { each: shapeOf(values, named) }
  const members = Object.entries(properties).map(([name, member]) => {
    const shape = shapeOf(member, named)
    return [name, required.includes(name) ? shape : { optional: shape }]
  })
  return members.length === 0 ? 'object' : { members: Object.fromEntries(members) }
}

/** The form of an answer that can be one of several kinds of records. All that they share is that they are objects. */
function ofAny(schemas, named) {
  const present = schemas.filter(({ type }) => type !== 'null')
  const shapes = present.map(schema => shapeOf(schema, named))
  const [first = 'any', ...others] = shapes.map(shape => JSON.stringify(shape))
  const kinds = new Set(present.map(({ type }) => type ?? 'any'))
  const alike = others.every(shape => shape === first) ? shapes[0] : kinds.size === 1 ? [...kinds][0] : 'any'
  return present.length < schemas.length ? { orNull: alike } : alike
}

async function imported(input) {
  const bundle = await rolldown({ input, platform: 'node' })
  const { output } = await bundle.generate({ format: 'esm', codeSplitting: false })
  await bundle.close()
  return import(`data:text/javascript;base64,${Buffer.from(output[0].code).toString('base64')}`)
}
