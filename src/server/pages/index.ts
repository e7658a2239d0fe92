import type { Request } from '../http/request.ts'
import { Routes, type Surface } from '../http/routes.ts'
import { refuse } from '../refusal.ts'
import { assetCalls } from '../static-files.ts'
import type { LiveSettings } from './payer-pages.ts'

/** Loaded with the first payer's page, because most simulators show none. */
const pages = () => import('./payer-pages.ts')

/** The payer's pages. They need no credentials: a signed address gives access. */
export function payerPages(settings: LiveSettings): Surface {
  const { gateway } = settings
  const routes = new Routes()
  assetCalls(routes)
  for (const kind of ['checkout', 'bank'] as const) {
    const url = `/${kind}/:account/:payment`
    routes.page(url, async (request, reply) => (await pages()).show(kind, request, reply))
    routes.get(`${url}/live`, async (request, reply) =>
      (await pages()).follow(settings, kind, request, reply),
    )
    routes.post(url, async (request, reply) => (await pages()).receive(gateway, kind, request, reply))
  }
  routes.page('/qr/:account/:payment', async (request, reply) => (await pages()).showQr(request, reply))
  const accountOf = ({ params: { account } }: Request) =>
    account === undefined ? undefined : gateway.account(account)
  return {
    name: 'pages',
    routes,
    accountOf: request =>
      request.params.account === undefined ? undefined : (accountOf(request)?.id ?? null),
    isRepeatable: ({ isSafe }) => isSafe,
    authenticate: accountOf,
    assign: (request, runtime) => {
      request.runtime = runtime
    },
    missing: () => refuse('not_found', 'No such page'),
  }
}
