import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { rolldown } from 'rolldown'

const OPERATIONS = fileURLToPath(new URL('../../src/contract/control/operations.ts', import.meta.url))
const FORMATTER = fileURLToPath(new URL('../../node_modules/@biomejs/biome/bin/biome', import.meta.url))

/**
 * What a client checks of each answer of the control surface, as data: the schemas themselves would take too long to
 * load for a command.
 */
export async function answerShapes() {
  const { controlOperations } = await imported(OPERATIONS)
  const named = {}
  const calls = {}
  for (const [call, { answers }] of Object.entries(controlOperations('any'))) {
    const success = Object.keys(answers).find(status => status.startsWith('2'))
    // A browser is sent elsewhere.
    if (success === undefined) continue
    const answer = answers[success]
    if (answer === null) calls[call] = 'nothing'
    else if (!('media' in answer)) calls[call] = shapeOf(answer, named)
  }
  const path = fileURLToPath(new URL('../../src/client/control-shapes.json', import.meta.url))
  return execFileSync(process.execPath, [FORMATTER, 'format', `--stdin-file-path=${path}`], {
    encoding: 'utf8',
    input: JSON.stringify({ calls, named }),
  })
}

/** Types in place of schemas: which members there are, and of which kind. Values are not looked at. */
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

/** Several kinds of records have only in common that they are objects. */
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
