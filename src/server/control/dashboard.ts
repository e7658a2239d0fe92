import { TokenBody } from '../../contract/control/requests.ts'
import { CONTROL_PREFIX } from '../../contract/paths.ts'
import { comesFromOwnPage } from '../dashboard/own-page.ts'
import type { Session } from '../dashboard/session.ts'
import type { Request } from '../http/request.ts'
import { refuse } from '../refusal.ts'
import { bodyReader, type ControlHandlers } from './control-call.ts'
import type { ControlSettings } from './settings.ts'

const readToken = bodyReader<TokenBody>(TokenBody)

/** Signing in to the dashboard. Only the calls for signing in and out need no control token. */
export function dashboardCalls({ signInLinks, publicUrl }: ControlSettings, session: Session) {
  /** A caller behind a balancer gets a link through it, because the cookie is valid only for that address. */
  const baseFor = ({ headers: { host } }: Request): string | undefined =>
    publicUrl !== undefined && new URL(publicUrl).host === host
      ? `${publicUrl}${CONTROL_PREFIX}/dashboard`
      : undefined
  return {
    'POST /dashboard/links': (request, answer) => answer(201, signInLinks.issue(baseFor(request))),

    // It gives no reason, because the page says what to do.
    'GET /dashboard/sign-in': async (request, _, reply) => {
      const good = await signInLinks.redeem(request.query.code)
      if (good) reply.header('set-cookie', session.begin(request))
      return reply
        .code(303)
        .headers({
          location: good ? '/_paysim/dashboard/' : '/_paysim/dashboard/?link=used',
          'referrer-policy': 'no-referrer',
        })
        .send()
    },

    'GET /dashboard/session': (request, answer) => answer(200, { signed_in: session.admits(request) }),
    'POST /dashboard/session': async (request, answer, reply) => {
      if (!comesFromOwnPage(request)) throw refuse('unauthorized', 'Only the dashboard can sign in here')
      const { token } = await readToken(request)
      if (!session.isToken(token))
        throw refuse('unauthorized', 'This is not the control token of this server')
      reply.header('set-cookie', session.begin(request))
      return answer(204)
    },
    'DELETE /dashboard/session': (request, answer, reply) => {
      if (!comesFromOwnPage(request)) throw refuse('unauthorized', 'Only the dashboard can sign out here')
      reply.header('set-cookie', session.end(request))
      return answer(204)
    },
  } satisfies Partial<ControlHandlers>
}
