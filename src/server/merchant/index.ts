import { type OperationId, operations } from '../../contract/operations.ts'
import { RequestIds } from '../../engine/account/ids.ts'
import type { AccountRuntime } from '../../engine/account/open-runtime.ts'
import type { Gateway } from '../../engine/gateway.ts'
import { MovedError, UnavailableError } from '../../engine/store/store-errors.ts'
import type { Authentication } from '../authentication.ts'
import { type FaultBoxes, WireFaults } from '../faults/wire-faults.ts'
import type { Reply } from '../http/reply.ts'
import type { Request } from '../http/request.ts'
import { Routes, type Surface } from '../http/routes.ts'
import { type RefusalError, refuse } from '../refusal.ts'
import type { Call, Handler } from './answer.ts'
import { cancelPayment, createPayment, getPayment, listPaymentMethods, submitReceipt } from './payments.ts'
import { cancelPayout, listPayouts } from './payouts.ts'

const HANDLERS: Record<OperationId, Handler> = {
  listPaymentMethods,
  createPayment,
  getPayment,
  cancelPayment,
  submitReceipt,
  listPayouts,
  cancelPayout,
}

/** The merchant interface, at the root. Credentials are checked before the path. */
export function merchantApi(
  { gateway, faultBoxes }: { gateway: Gateway; faultBoxes: FaultBoxes },
  authentication: Authentication,
): Surface {
  const { contract } = gateway
  const routes = new Routes()
  /** By method and path. */
  const keyed = new Set<string>()
  for (const operation of operations(contract)) {
    const handle = HANDLERS[operation.id]
    const names: object = operation.query?.properties ?? {}
    if (operation.idempotencyKey) keyed.add(`${operation.method} ${operation.path}`)
    routes.add(operation.method, operation.path, (request, reply) => {
      const { runtime } = request
      if (!runtime || runtime.removed) throw unauthorized(reply)
      request.ignored = unknownNames(request, names)
      const call = { request, reply, runtime, operation, contract }
      const answered = handle(call)
      if (!(answered instanceof Promise)) return answered
      const answering = request.isSafe ? orAgain(call, answered, handle) : answered
      // Its merchant may have been removed meanwhile, even if an answer is ready.
      return answering.finally(() => {
        if (runtime.removed) throw unauthorized(reply)
      })
    })
  }
  const requestIds = new WeakMap<AccountRuntime, RequestIds>()
  // With two headers it is not clear which account is meant.
  const accountOf = (request: Request) =>
    authentication.account(request.repeats('authorization') ? undefined : request.headers.authorization)
  return {
    name: 'merchant',
    routes,
    accountOf: request => (request.headers.authorization ? (accountOf(request)?.id ?? null) : undefined),
    isRepeatable: ({ isSafe, method, route, headers }) =>
      isSafe || (headers['idempotency-key'] !== undefined && keyed.has(`${method} ${route}`)),
    authenticate(request, reply) {
      const account = accountOf(request)
      if (!account) throw unauthorized(reply)
      return account
    },
    assign(request, runtime) {
      request.runtime = runtime
      // From here on, request ids are derived from the account, so that a repeated run has the same ids.
      request.drawIdFrom(idsOf(requestIds, runtime))
    },
    missing: (request, reply) => missing(routes, request, reply),
    faults: new WireFaults(faultBoxes, contract, gateway.holds),
  }
}

const NONE: readonly string[] = []

/** The names in the query that the operation does not know, such as `status[]`: they are only named in the log. */
const unknownNames = (request: Request, known: object): readonly string[] =>
  request.url.length === request.path.length
    ? NONE
    : Object.keys(request.query).filter(name => !Object.hasOwn(known, name))

function unauthorized(reply: Reply): RefusalError {
  reply.header('www-authenticate', 'Basic realm="paysim"')
  return refuse('unauthorized', 'The credentials are missing or not valid')
}

/** A read may wait for a write that fails. Then it is answered again, with what was safe before the write. */
async function orAgain(call: Call, answering: Promise<Reply>, handle: Handler): Promise<Reply> {
  try {
    return await answering
  } catch (cause) {
    if (!(cause instanceof UnavailableError) || cause instanceof MovedError) throw cause
    await call.runtime.account.settled()
    return handle(call)
  }
}

function idsOf(known: WeakMap<AccountRuntime, RequestIds>, runtime: AccountRuntime): RequestIds {
  let ids = known.get(runtime)
  if (!ids) {
    ids = new RequestIds(runtime.account.sign(`requests since ${runtime.account.world.seq}`))
    known.set(runtime, ids)
  }
  return ids
}

function missing(routes: Routes, request: Request, reply: Reply): RefusalError {
  const methods = routes.methodsAt(request.path)
  if (methods.length === 0) return refuse('not_found', 'No such path')
  const allow = methods.join(', ')
  reply.header('allow', allow)
  return refuse('method_not_allowed', `${request.method} is not allowed here; allowed: ${allow}`)
}
