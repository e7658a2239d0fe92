import { rejection } from '../../contract/errors.ts'
import { CONTROL_PREFIX } from '../../contract/paths.ts'
import { accountsOf } from '../../engine/account/open-runtime.ts'
import { isSameSecret } from '../authentication.ts'
import { Session } from '../dashboard/session.ts'
import type { Request } from '../http/request.ts'
import { Routes, type Surface } from '../http/routes.ts'
import { RefusalError, refuse } from '../refusal.ts'
import { dashboardPages } from '../static-files.ts'
import { archiveCalls } from './archive.ts'
import { browseCalls, deliveryBrowsing } from './browse.ts'
import { clockCalls } from './clock.ts'
import { addRoutes, type ControlSettings } from './control-call.ts'
import { merchantCalls } from './merchants.ts'
import { overviewCalls } from './overview.ts'
import { paymentCalls } from './payments.ts'
import { payoutCalls } from './payouts.ts'
import { scenarioCalls } from './scenario.ts'
import { catalogueCalls, faultCalls, holdCalls, ruleCalls } from './script.ts'
import { sendCalls } from './send-request.ts'
import { dashboardCalls, nodeCalls, serverCalls } from './server.ts'
import { journalCalls, streamCalls } from './stream.ts'
import { timelineCalls, whyCalls } from './timeline.ts'
import { webhookCalls } from './webhooks.ts'

/** Open to everyone who can reach the port: they only show that the server runs. */
const OPEN: readonly string[] = [`${CONTROL_PREFIX}/health`, `${CONTROL_PREFIX}/ready`]
const MERCHANTS = `${CONTROL_PREFIX}/merchants`
const DASHBOARD = `${CONTROL_PREFIX}/dashboard`
/** They change nothing, and are sent whenever the dashboard shows a rule. */
const YAML = `${CONTROL_PREFIX}/yaml/`
const IMPORT = `${CONTROL_PREFIX}/accounts/:account/import`
/** The dashboard's calls that make links require a session. */
const needsNoSession = (route = '') =>
  OPEN.includes(route) || (route.startsWith(DASHBOARD) && route !== `${DASHBOARD}/links`)

/** The browser sends the origin of a request. A page of another origin is refused, even with the token. */
const isFromOwnOrigin = ({ headers: { origin, host } }: Request) =>
  origin === undefined || (URL.canParse(origin) && new URL(origin).host === host)

function demandOwnOrigin(request: Request): void {
  if (isFromOwnOrigin(request)) return
  const { origin } = request.headers
  const message = `The control surface does not answer to pages of ${origin === 'null' ? 'unknown origin' : origin}`
  throw new RefusalError({ ...rejection('unauthorized', message), status: 403 })
}

/** The surface that controls the simulator, with its own token. */
export function controlSurface(settings: ControlSettings): Surface {
  const routes = new Routes(CONTROL_PREFIX)
  const session = new Session(settings.controlToken)
  addRoutes(routes, settings.gateway, {
    ...serverCalls(settings),
    ...nodeCalls(settings),
    ...merchantCalls(settings),
    ...clockCalls,
    ...catalogueCalls,
    ...ruleCalls,
    ...faultCalls(settings),
    ...holdCalls(settings),
    ...paymentCalls(settings),
    ...payoutCalls,
    ...webhookCalls(settings),
    ...journalCalls(settings),
    ...sendCalls(settings),
    ...streamCalls(settings),
    ...archiveCalls(settings),
    ...overviewCalls(settings),
    ...browseCalls(),
    ...deliveryBrowsing(),
    ...timelineCalls(settings),
    ...whyCalls(settings),
    ...scenarioCalls(settings),
    ...dashboardCalls(settings, session),
  })
  dashboardPages(routes)
  const bearer = `Bearer ${settings.controlToken}`
  const hasToken = (request: Request) =>
    !request.repeats('authorization') && isSameSecret(request.headers.authorization ?? '', bearer)
  const isSignedIn = (request: Request) => !request.headers.authorization && session.admits(request)
  return {
    name: 'control',
    routes,
    isAboutStart: ({ path }) => OPEN.includes(path),
    accountOf(request) {
      const { params, route } = request
      const isAbout = params.account !== undefined || route?.startsWith(MERCHANTS)
      if (!isAbout || !(hasToken(request) || isSignedIn(request)) || !isFromOwnOrigin(request))
        return undefined
      // Only the holder of a merchant changes it.
      const [held] = params.id !== undefined && route?.startsWith(MERCHANTS) ? accountsOf(params.id) : []
      return settings.gateway.account(params.account ?? held ?? '')?.id ?? null
    },
    maySendLong: request => request.route === IMPORT && (hasToken(request) || isSignedIn(request)),
    isRepeatable: ({ isSafe }) => isSafe,
    authenticate(request, reply) {
      const { route, params } = request
      const account = params.account === undefined ? undefined : settings.gateway.account(params.account)
      demandOwnOrigin(request)
      if (hasToken(request)) return account
      const signedIn = isSignedIn(request)
      const reads = request.method === 'GET' || route?.startsWith(YAML) === true
      request.watching = reads && (signedIn || route?.startsWith(DASHBOARD) === true)
      if (signedIn || needsNoSession(route)) return account
      reply.header('www-authenticate', 'Bearer realm="paysim control"')
      throw refuse('unauthorized', 'The control token is missing or not valid')
    },
    missing: () => refuse('not_found', 'No such control call'),
  }
}
