import { signal } from '@preact/signals'
import {
  type AnswerTo,
  type AnyInput,
  type CallInput,
  type GetCall,
  type InputOf,
  type JsonCall,
  type MediaCall,
  type RequestLine,
  requestLine,
} from '../../../contract/control/call.ts'
import type { ControlCall } from '../../../contract/control/operations.ts'
import type { FieldProblem } from '../../../contract/errors.ts'
import { CONTROL_PREFIX } from '../../../contract/paths.ts'

/** Whether this browser is signed in. Unknown until the server has answered. */
export const session = signal<'unknown' | 'in' | 'out'>('unknown')

/** The server refused a call, or could not be reached. */
export class ApiError extends Error {
  constructor(
    message: string,
    readonly status: number,
    readonly details: readonly FieldProblem[],
  ) {
    super(message)
  }
}

/** The address of what the browser itself loads, such as an image. */
export const addressOfCall = <C extends GetCall>(name: C, input: CallInput<C>): string =>
  CONTROL_PREFIX + requestLine(name, input as AnyInput).path

/** Calls the control surface, whose own answers need no check. */
export async function call<C extends JsonCall>(name: C, ...[input]: InputOf<C>): Promise<AnswerTo<C>> {
  const text = await answerTo(name, input ?? {})
  return (text ? JSON.parse(text) : undefined) as AnswerTo<C>
}

/** A call whose answer is text to show, not JSON. */
export const textOf = <C extends MediaCall>(name: C, input: CallInput<C>): Promise<string> =>
  answerTo(name, input as AnyInput)

/** A call that sends a form with a file. */
export const upload = (name: ControlCall, input: AnyInput, form: FormData): Promise<string> =>
  answerTo(name, { ...input, body: form })

async function answerTo(name: ControlCall, input: AnyInput): Promise<string> {
  const { body, headers, ...where } = input
  const response = await send(requestLine(name, where), body, headers)
  const text = await response.text()
  if (response.ok) return text
  if (response.status === 401 && !name.endsWith(' /dashboard/session')) session.value = 'out'
  const { message, details } = readError(text)
  throw new ApiError(message ?? `The server answered ${response.status}`, response.status, details)
}

/** The cookie is sent automatically; no other site can send the header. */
function send(
  { method, path }: RequestLine,
  body: unknown,
  given: AnyInput['headers'] = {},
): Promise<Response> {
  const headers: Record<string, string> = { ...definedOf(given), 'x-paysim-dashboard': '1' }
  const isForm = body instanceof FormData
  if (body !== undefined && !isForm) headers['content-type'] = 'application/json'
  const sent = body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }
  return fetch(CONTROL_PREFIX + path, { method, headers, ...sent }).catch(() => {
    throw new ApiError('The server does not respond', 0, [])
  })
}

const definedOf = (given: NonNullable<AnyInput['headers']>) =>
  Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  )

/** The body of an error may have any of three shapes, because the contract has a switch for it. */
export function readError(text: string): { message: string | undefined; details: FieldProblem[] } {
  try {
    const body = JSON.parse(text)
    const error = body.error ?? body
    return { message: error.message ?? error.detail, details: error.details ?? [] }
  } catch {
    return { message: undefined, details: [] }
  }
}

export const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

export async function checkSession(): Promise<void> {
  const { signed_in } = await call('GET /dashboard/session')
  session.value = signed_in ? 'in' : 'out'
}

export async function signIn(token: string): Promise<void> {
  await call('POST /dashboard/session', { body: { token } })
  session.value = 'in'
}

export async function signOut(): Promise<void> {
  await call('DELETE /dashboard/session')
  session.value = 'out'
}
