import type { TSchema } from '@sinclair/typebox'
import type { Wire } from '../schema.ts'
import type { ControlCall, ControlOperations } from './operations.ts'

/**
 * A call of the control surface, as every caller writes it: by its name in the list of operations, such as
 * `call('POST /accounts/:account/rules', { params: { account }, body: { rules } })`. The types of what it takes and gives
 * come from the schemas of the operation, so a caller that is out of date does not compile.
 */

/** The names of the parameters in a path. */
type ParamIn<Path extends string> = Path extends `${string}/:${infer Name}/${infer Rest}`
  ? Name | ParamIn<`/${Rest}`>
  : Path extends `${string}/:${infer Name}`
    ? Name
    : never

/** What a call takes. The parameters in `Known` are left out, because the caller has them already. */
export type CallInput<C extends ControlCall, Known extends string = never> = Params<
  Exclude<ParamIn<C>, Known>
> &
  Query<ControlOperations[C]> &
  Headers<ControlOperations[C]> &
  Body<ControlOperations[C]>

type Params<Name extends string> = [Name] extends [never]
  ? unknown
  : { readonly params: { readonly [N in Name]: string } }
type Query<Operation> = Operation extends { readonly query: infer Described }
  ? { readonly query?: { readonly [N in keyof Described]?: string | number | undefined } }
  : unknown
type Headers<Operation> = Operation extends { readonly headers: infer Described }
  ? { readonly headers?: { readonly [N in keyof Described]?: string | undefined } }
  : unknown
type Body<Operation> = Operation extends {
  readonly body: { readonly json: infer S extends TSchema; readonly optional: true }
}
  ? { readonly body?: Wire<S> }
  : Operation extends { readonly body: { readonly json: infer S extends TSchema } }
    ? { readonly body: Wire<S> }
    : unknown

/** The input as the arguments of a function: it can be left out if nothing in it is needed. */
export type InputOf<C extends ControlCall, Known extends string = never> =
  Record<never, never> extends CallInput<C, Known>
    ? [input?: CallInput<C, Known>]
    : [input: CallInput<C, Known>]

/** What the answers say besides JSON: a media type, such as that of an image. */
type SuccessOf<C extends ControlCall> = Success<ControlOperations[C]['answers']>
type Success<Answers> = Answers extends { readonly 200: infer Body }
  ? Body
  : Answers extends { readonly 201: infer Body }
    ? Body
    : Answers extends { readonly 202: infer Body }
      ? Body
      : Answers extends { readonly 204: infer Body }
        ? Body
        : never

/** The body of a success. */
export type AnswerTo<C extends ControlCall> = BodyOf<SuccessOf<C>>
type BodyOf<Success> = Success extends TSchema ? Wire<Success> : undefined

/** The calls that are answered with JSON, or with nothing. */
export type JsonCall = {
  [C in ControlCall]: SuccessOf<C> extends TSchema | null ? C : never
}[ControlCall]
/** The calls that are answered with something else: bytes, text or a stream. */
export type MediaCall = Exclude<ControlCall, JsonCall>
/** The calls that an address alone makes: a link, an image, an event source. */
export type GetCall = Extract<ControlCall, `GET ${string}`>
/** The calls about one account. */
export type AccountCall = Extract<ControlCall, `${string} /accounts/:account/${string}`>

/** The input of any call, for code that only passes it on. */
export interface AnyInput {
  readonly params?: Readonly<Record<string, string>> | undefined
  readonly query?: Readonly<Record<string, string | number | undefined>> | undefined
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined
  readonly body?: unknown
}

export interface RequestLine {
  readonly method: string
  /** Encoded, below the address of the control surface. */
  readonly path: string
}

/** Method and path of a call, with its parameters and its query filled in. */
export function requestLine(call: ControlCall, { params = {}, query }: AnyInput = {}): RequestLine {
  const [method = '', pattern = ''] = call.split(' ')
  const path = pattern.replaceAll(/:(\w+)/g, (_, name: string) => encodeSegment(String(params[name])))
  if (!query) return { method, path }
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  const search = given.map(([name, value]) => `${name}=${encodeURIComponent(String(value).toWellFormed())}`)
  return { method, path: search.length === 0 ? path : `${path}?${search.join('&')}` }
}

/** Whoever resolves dot segments, such as a browser, would call another path. */
const encodeSegment = (text: string) =>
  text === '.' || text === '..' ? text.replaceAll('.', '%2E') : encodeURIComponent(text.toWellFormed())
