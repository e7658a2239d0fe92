import { request as requestHttp } from 'node:http'
import type { SentRequest as Answered } from '../../contract/control/journal.ts'
import { RequestToSend } from '../../contract/control/requests.ts'
import type { FieldProblem } from '../../contract/errors.ts'
import { takenByPaysim } from '../../contract/paths.ts'
import { redact } from '../../contract/redact.ts'
import { HOP_BY_HOP, lowerCased } from '../../contract/wire-answer.ts'
import { FORWARDED } from '../cluster/forwarding-headers.ts'
import { Chunks } from '../http/exchange.ts'
import { isMultipart } from '../http/read-body.ts'
import { demandNoProblems, refuse, refuseProblems } from '../refusal.ts'
import type { SentRequest } from '../requests/request-log.ts'
import { bodyReader, type ControlHandlers, type ControlSettings, found } from './control-call.ts'

const readWanted = bodyReader<RequestToSend>(RequestToSend)

/**
 * Sends requests by hand. They go to the listener of this server over a connection, as those of the merchant's program
 * do, so that faults do to them what they do to others.
 */
export function sendCalls({ gateway, requests, merchantUrl }: ControlSettings) {
  return {
    'POST /accounts/:account/requests': async ({ runtime, request, answer }) => {
      const changes = await readWanted(request)
      const original =
        changes.of === undefined
          ? undefined
          : found('request in the log of recent requests with its body', requests.sent(runtime, changes.of))
      const wanted = requestOf(changes, original)
      demandNoProblems(problemsWith(wanted))
      const [keys] = gateway.keysOf(runtime)
      if (!keys) throw refuse('invalid_state', 'The account has no keys to send it with')
      const credentials = Buffer.from(`${keys.publicKey}:${keys.secretKey}`).toString('base64')
      const sending = send(new URL(merchantUrl()), wanted, `Basic ${credentials}`)
      const stayed = request.exchange.whenGone(sending.abort)
      const answered = await sending.answered
      stayed()
      return answer(200, answered)
    },
  } satisfies Partial<ControlHandlers>
}

type Wanted = Omit<SentRequest, 'whole'>

function requestOf(changes: RequestToSend, original: SentRequest | undefined): Wanted {
  const { method = original?.method, path = original?.path, headers, body } = changes
  if (method === undefined || path === undefined) {
    const message = 'is required, unless `of` names a request of the log'
    throw refuseProblems([{ field: method === undefined ? 'method' : 'path', message }])
  }
  const wanted = { method, path, headers: lowerCased(headers ?? original?.headers ?? {}) }
  if (body !== undefined) return { ...wanted, body: withMasked(body, original?.body ?? null) || null }
  if (original && isMultipart(original.headers['content-type']))
    throw refuseProblems([{ field: 'of', message: 'had a body that is not text, which is not kept' }])
  if (original?.whole === false)
    throw refuseProblems([{ field: 'body', message: 'is required: only the start of the first one is kept' }])
  return { ...wanted, body: original?.body ?? null }
}

/**
 * What a page shows is masked, and so is what comes back from it. A masked value that stays where it was stands for what
 * it masks.
 */
function withMasked(text: string, original: string | null): string {
  if (original === null) return text
  try {
    const [given, before, shown] = [text, original, redact(original)].map(body => JSON.parse(body))
    const unmasked = restored(given, before, shown)
    return unmasked === given ? text : JSON.stringify(unmasked)
  } catch {
    // What is not JSON is sent as it is.
    return text
  }
}

/** The same value if there is nothing to restore in it. */
function restored(given: unknown, before: unknown, shown: unknown): unknown {
  if (before !== shown && given === shown && typeof given === 'string') return before
  if (!isObject(given) || !isObject(before) || !isObject(shown)) return given
  const changed = Object.entries(given).flatMap(([name, value]) => {
    if (!Object.hasOwn(before, name)) return []
    const now = restored(value, before[name], shown[name])
    return now === value ? [] : [[name, now] as const]
  })
  if (changed.length === 0) return given
  return Object.assign(Array.isArray(given) ? [...given] : { ...given }, Object.fromEntries(changed))
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

/** What frames a message, or says who sends it, belongs to the sender. */
const NOT_TO_CHOOSE: ReadonlySet<string> = new Set([
  ...HOP_BY_HOP,
  ...['authorization', 'content-length', 'cookie', 'host', 'proxy-authorization', FORWARDED],
])
const NAME = /^[!#$%&'*+.^_`|~0-9a-z-]{1,256}$/
const VALUE = /^[\t\x20-\x7e\x80-\xff]{0,8192}$/
/** From the root, in the characters that a request line may have. */
const PATH = /^\/[\x21\x22\x24-\x7e]*$/

function problemsWith({ path, headers }: Wanted): FieldProblem[] {
  const problems: FieldProblem[] = []
  const taken = takenByPaysim(path.split('?')[0] ?? '')
  if (!PATH.test(path))
    problems.push({ field: 'path', message: 'must begin with / and be percent-encoded, without a fragment' })
  else if (taken !== undefined)
    problems.push({ field: 'path', message: `must be of the merchant API: ${taken}` })
  for (const [name, value] of Object.entries(headers)) {
    const field = `headers.${name}`
    if (!NAME.test(name)) problems.push({ field, message: 'is not a name of a header' })
    else if (NOT_TO_CHOOSE.has(name))
      problems.push({ field, message: 'cannot be chosen: the server sets it, or leaves it out' })
    else if (!VALUE.test(value))
      problems.push({ field, message: 'has a character that a header cannot have' })
  }
  return problems
}

/** A fault may make an answer of any length. */
const MOST_READ = 1024 * 1024

/** The address is the server's own, and only its path and its headers are chosen, so it goes nowhere else. */
function send({ hostname, port }: URL, { method, path, headers, body }: Wanted, authorization: string) {
  const length = body === null ? {} : { 'content-length': Buffer.byteLength(body) }
  const outgoing = requestHttp({
    host: hostname.replace(/^\[|\]$/g, ''),
    port,
    agent: false,
    method,
    path,
    headers: { ...headers, host: 'localhost', authorization, ...length },
  })
  const answered = new Promise<Answered>(resolve => {
    outgoing.once('error', () => resolve({ request_id: null, status: null, body: null }))
    outgoing.once('response', answer => {
      const { 'request-id': id } = answer.headers
      const seen = { request_id: typeof id === 'string' ? id : null, status: answer.statusCode ?? null }
      const chunks = new Chunks()
      answer.on('data', (chunk: Buffer) => {
        if (chunks.size < MOST_READ) chunks.add(chunk)
      })
      const finish = () => resolve({ ...seen, body: chunks.whole().subarray(0, MOST_READ).toString() })
      // A fault may cut the answer off: that is what the caller wants to see.
      answer.once('error', finish).once('end', finish)
    })
  })
  outgoing.end(body ?? undefined)
  return { answered, abort: () => outgoing.destroy() }
}
