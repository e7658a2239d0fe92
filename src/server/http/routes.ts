import { hasParameters, namesIn, type PathPattern, pathPattern } from '../../contract/paths.ts'
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
