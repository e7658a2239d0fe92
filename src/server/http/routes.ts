import type { Reply } from './reply.ts'
import type { Request } from './request.ts'

export type Handle = (request: Request, reply: Reply) => Reply | Promise<Reply>

interface Route {
  readonly method: string
  readonly pattern: string
  readonly segments: readonly string[]
  readonly handle: Handle
}

/**
 * Which handler a path belongs to. A few dozen patterns, told apart by how many segments they have: written here
 * because a framework took longer to load than all the rest of the server, and more of each request than its router.
 */
export class Routes {
  readonly #bySize = new Map<number, Route[]>()

  /** Every pattern begins with the prefix. */
  constructor(private readonly prefix = '') {}

  add(method: string, path: string, handle: Handle): this {
    const pattern = this.prefix + path
    const segments = pattern.split('/')
    const route = { method, pattern, segments, handle }
    const size = this.#bySize.get(segments.length)
    // What is written out is tried before what has a place for anything.
    if (!size) this.#bySize.set(segments.length, [route])
    else if (pattern.includes(':')) size.push(route)
    else size.unshift(route)
    return this
  }

  get = (pattern: string, handle: Handle) => this.add('GET', pattern, handle)
  post = (pattern: string, handle: Handle) => this.add('POST', pattern, handle)
  put = (pattern: string, handle: Handle) => this.add('PUT', pattern, handle)
  patch = (pattern: string, handle: Handle) => this.add('PATCH', pattern, handle)
  delete = (pattern: string, handle: Handle) => this.add('DELETE', pattern, handle)

  /** The route of a request, with its parameters read into it. */
  find(request: Request): Handle | undefined {
    const segments = request.path.split('/')
    for (const route of this.#bySize.get(segments.length) ?? []) {
      if (route.method !== request.method) continue
      const params = match(route.segments, segments)
      if (!params) continue
      request.route = route.pattern
      request.params = params
      return route.handle
    }
    return undefined
  }

  /** The methods that a path has. */
  methodsAt(path: string): string[] {
    const segments = path.split('/')
    const routes = this.#bySize.get(segments.length) ?? []
    return routes.filter(route => match(route.segments, segments)).map(({ method }) => method)
  }
}

function match(pattern: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  const params: Record<string, string> = {}
  for (let at = 0; at < pattern.length; at++) {
    const [wanted = '', given = ''] = [pattern[at], segments[at]]
    if (!wanted.startsWith(':')) {
      if (wanted !== given) return undefined
      continue
    }
    const value = decode(given)
    if (!value) return undefined
    params[wanted.slice(1)] = value
  }
  return params
}

function decode(segment: string): string | undefined {
  if (!segment.includes('%')) return segment
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}
