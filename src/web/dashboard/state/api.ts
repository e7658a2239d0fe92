import { signal } from '@preact/signals'
import {
  type AnswerTo,
  type AnyInput,
  type CallInput,
  type GetCall,
  type InputOf,
  type JsonCall,
  requestLine,
} from '../../../contract/control/call.ts'
import type { FieldProblem } from '../../../contract/errors.ts'

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
  `/_paysim${requestLine(name, input as AnyInput).path}`

export const accountPath = (account: string, path: string) =>
  `/accounts/${encodeURIComponent(account)}${path}`

/** Calls the control surface, whose own answers need no check. */
export function call<C extends JsonCall>(name: C, ...[input]: InputOf<C>): Promise<AnswerTo<C>> {
  const { body, ...where } = (input ?? {}) as AnyInput
  const { method, path } = requestLine(name, where)
  return callAt(method, path, body)
}

/** The cookie is sent automatically; no other site can send the header. */
export async function callAt<T>(method: string, path: string, body?: unknown): Promise<T> {
  const response = await send(method, path, body)
  const text = await response.text()
  if (response.ok) return (text ? JSON.parse(text) : null) as T
  if (response.status === 401 && path !== '/dashboard/session') session.value = 'out'
  const { message, details } = readError(text)
  throw new ApiError(message ?? `The server answered ${response.status}`, response.status, details)
}

function send(method: string, path: string, body: unknown): Promise<Response> {
  const headers: Record<string, string> = { 'x-paysim-dashboard': '1' }
  if (body !== undefined) headers['content-type'] = 'application/json'
  const sent = body === undefined ? {} : { body: JSON.stringify(body) }
  return fetch(`/_paysim${path}`, { method, headers, ...sent }).catch(() => {
    throw new ApiError('The server does not respond', 0, [])
  })
}

/** The body of an error may have any of three shapes, because the contract has a switch for it. */
function readError(text: string): { message: string | undefined; details: FieldProblem[] } {
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
  const { signed_in } = await callAt<{ signed_in: boolean }>('GET', '/dashboard/session')
  session.value = signed_in ? 'in' : 'out'
}

export async function signIn(token: string): Promise<void> {
  await callAt('POST', '/dashboard/session', { token })
  session.value = 'in'
}

export async function signOut(): Promise<void> {
  await callAt('DELETE', '/dashboard/session')
  session.value = 'out'
}
