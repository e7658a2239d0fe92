import { hasParameters, namesIn, type PathPattern, pathPattern } from '../../contract/paths.ts'
import type { AccountRuntime } from '../../engine/account/open-runtime.ts'
import type { ServedAccount } from '../../engine/account/served-accounts.ts'
import type { Reply } from './reply.ts'
import type { Request } from './request.ts'

export type Handle = (request: Request, reply: Reply) => Reply | Promise<Reply>

interface Route {
  readonly method: string
  readonly pattern: PathPattern
  readonly handle: Handle
}

/**
 * Finds the handler of a path among a few dozen patterns, by the number of segments. It is hand-written because a
 * framework took longer to load than the rest of the server, and slowed down each request.
 */
export class Routes {
  readonly #bySize = new Map<number, Route[]>()

  /** Every pattern begins with the prefix. */
  constructor(private readonly prefix = '') {}

  add(method: string, path: string, handle: Handle): this {
    const pattern = pathPattern(this.prefix + path)
    const route = { method, pattern, handle }
    const size = this.#bySize.get(pattern.segments.length)
    // Fixed segments are tried before parameters.
    if (!size) this.#bySize.set(pattern.segments.length, [route])
    else if (hasParameters(pattern)) size.push(route)
    else size.unshift(route)
    return this
  }

  get = (pattern: string, handle: Handle) => this.add('GET', pattern, handle)
  /** Requests of browsers, and HEAD requests of link checkers and messengers. */
  page = (pattern: string, handle: Handle) => this.add('HEAD', pattern, handle).add('GET', pattern, handle)
  post = (pattern: string, handle: Handle) => this.add('POST', pattern, handle)
  put = (pattern: string, handle: Handle) => this.add('PUT', pattern, handle)
  patch = (pattern: string, handle: Handle) => this.add('PATCH', pattern, handle)
  delete = (pattern: string, handle: Handle) => this.add('DELETE', pattern, handle)

  /** The route of a request. Sets the parameters of the request. */
  find(request: Request): Handle | undefined {
    const { segments, method } = request
    for (const route of this.#bySize.get(segments.length) ?? []) {
      if (route.method !== method) continue
      const params = namesIn(route.pattern, segments)
      if (!params) continue
      request.pattern = route.pattern
      request.params = params
      return route.handle
    }
    return undefined
  }

  /** The methods that a path has. */
  methodsAt(path: string): string[] {
    const segments = path.split('/')
    const routes = this.#bySize.get(segments.length) ?? []
    return routes.filter(({ pattern }) => namesIn(pattern, segments)).map(({ method }) => method)
  }

  /** All routes, in any order. */
  get all(): { readonly method: string; readonly path: string }[] {
    return [...this.#bySize.values()].flat().map(({ method, pattern }) => ({ method, path: pattern.text }))
  }
}

export const SURFACES = ['merchant', 'pages', 'control'] as const
export type SurfaceName = (typeof SURFACES)[number]

/** A part of the server with its own authentication. `App` calls these in the order of a request's life. */
export interface Surface {
  readonly name: SurfaceName
  readonly routes: Routes
  /** Whether the call is answered before the list of merchants was read. */
  isAboutStart?(request: Request): boolean
  /** Whether its caller has access, and may take longer than others to send the request. */
  maySendLong?(request: Request): boolean
  /**
   * The account that a call is about, if its caller has access to it. The process that holds it answers the call. Null
   * if the newest list of merchants must be read first, because another process may have changed it.
   */
  accountOf(request: Request): string | null | undefined
  /** Whether the call may be carried out twice, with the same effect and answer as once. */
  isRepeatable(request: Request): boolean
  /**
   * Throws a refusal if the caller has no access. It is also called for unknown paths. Returns the account that the call
   * is about; it is opened and settled before the handler sees it.
   */
  authenticate(request: Request, reply: Reply): ServedAccount | undefined
  /** Called with the account once it is open. */
  assign?(request: Request, runtime: AccountRuntime): void
  /** The refusal for an unknown path. */
  missing(request: Request, reply: Reply): Error
  readonly faults?: Faults
}

/** What goes wrong with calls because somebody asked for it. */
interface Faults {
  /** Called before the handler. Resolves with true if the call was answered, so that the handler must not run. */
  before(request: Request, reply: Reply): Promise<boolean> | undefined
  /** Called before the answer is sent. */
  after(request: Request, reply: Reply): Promise<void> | undefined
}
