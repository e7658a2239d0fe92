import type { Reply } from '../http/reply.ts'
import type { Request } from '../http/request.ts'
import type { Routes } from '../http/routes.ts'

/** `/dashboard/<account>/<page>/<record>` is the deepest path of the dashboard. */
const DEEPEST = 3

/**
 * The files of the dashboard. They contain no data, so they are open to everyone; their data comes through
 * authenticated calls. The files are read at the first request.
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
