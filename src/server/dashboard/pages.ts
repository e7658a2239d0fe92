import type { Reply } from '../http/reply.ts'
import type { Request } from '../http/request.ts'
import type { Routes } from '../http/routes.ts'

/** `/dashboard/<account>/<page>/<record>`: the deepest address that the page gives itself. */
const DEEPEST = 3

/**
 * The page and what it loads. They hold nothing of any account and are open to all: what they show comes by calls of
 * the control surface, which are not. None of it is read before the first of them is asked for.
 */
export function dashboardPages(routes: Routes): void {
  const files = async () => (await import('./files.ts')).files
  routes.get('/dashboard/assets/:file', async ({ params, headers }, reply) =>
    (await files()).send(reply, params.file ?? '', headers['if-none-match']),
  )
  const page = async ({ headers }: Request, reply: Reply) =>
    (await files()).sendPage(reply, headers['if-none-match'])
  for (let depth = 1; depth <= DEEPEST; depth++)
    routes.get(`/dashboard${Array.from({ length: depth }, (_, at) => `/:${at}`).join('')}`, page)
  routes.get('/dashboard/', page)
  routes.get('/dashboard', (_, reply) => reply.code(308).header('location', '/_paysim/dashboard/').send())
}
