import { once } from 'node:events'
import { createServer, request as send } from 'node:http'

/** The requests that are not sent through Prism, and the reasons. */
const PAST_THE_VALIDATOR = {
  'an image as multipart/form-data': {
    reason: 'Prism reads a body as UTF-8 text, which a picture is not',
    holds: ({ headers }) => /^multipart\//i.test(headers['content-type'] ?? ''),
  },
  'a body that is not well-formed JSON': {
    reason: 'Prism answers it by itself',
    holds: ({ headers }, body) => /json/i.test(headers['content-type'] ?? '') && !isJson(body),
  },
  'a path that is not an operation': {
    reason: 'the document has nothing to hold it against',
    holds: (request, _, operations) => !operations.some(operation => operation.isOf(request)),
  },
}

function isJson(body) {
  try {
    return body.length === 0 || JSON.parse(body) !== undefined
  } catch {
    return false
  }
}

/** Opens the base URL for the scenarios. It sends each request through the validator and keeps its notes. */
export async function openGate(document, { validator, server }) {
  const operations = operationsOf(document)
  const exchanges = []
  const leftOut = new Map()
  const gate = createServer(async (request, response) => {
    const chunks = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    const past = Object.keys(PAST_THE_VALIDATOR).find(what =>
      PAST_THE_VALIDATOR[what].holds(request, body, operations),
    )
    if (past) leftOut.set(past, (leftOut.get(past) ?? 0) + 1)
    const headers = { ...request.headers, host: new URL(server).host }
    const onward = send(new URL(request.url, past ? server : validator), { method: request.method, headers })
    onward.on('error', () => response.destroy())
    onward.on('response', answer => {
      const { 'sl-violations': notes = '[]', ...others } = answer.headers
      if (!past) exchanges.push(exchangeOf(request, answer, JSON.parse(notes), operations))
      response.writeHead(answer.statusCode, others)
      answer.pipe(response)
    })
    onward.end(body)
  })
  gate.listen(0, '127.0.0.1')
  await once(gate, 'listening')
  return {
    url: `http://127.0.0.1:${gate.address().port}`,
    operations: operations.map(({ name }) => name),
    exchanges,
    leftOut: () =>
      [...leftOut].map(([what, count]) => `${what}, ${count} times: ${PAST_THE_VALIDATOR[what].reason}`),
    close: () => {
      gate.closeAllConnections()
      gate.close()
    },
  }
}

/** An invalid request is fine if it was refused, because scenarios send such requests on purpose. */
function exchangeOf(request, { statusCode: status }, notes, operations) {
  const granted = status < 400
  const violations = notes.filter(({ location: [side] }) => side === 'response' || granted)
  const { name } = operations.find(operation => operation.isOf(request))
  return { name, status, violations }
}

function operationsOf({ paths }) {
  return Object.entries(paths).flatMap(([path, item]) => {
    const segments = path.split('/')
    const isAt = given =>
      given.length === segments.length &&
      segments.every((segment, at) => segment === given[at] || (segment.startsWith('{') && given[at] !== ''))
    return Object.keys(item).map(method => ({
      name: `${method.toUpperCase()} ${path}`,
      isOf: ({ method: used, url }) =>
        used === method.toUpperCase() && isAt(url.replace(/\?.*/, '').split('/')),
    }))
  })
}
