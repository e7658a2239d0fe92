import type { Static } from '@sinclair/typebox'
import * as Type from '@sinclair/typebox'
import { comesFromOwnPage } from '../dashboard/own-page.ts'
import { dashboardPages } from '../dashboard/pages.ts'
import type { Session } from '../dashboard/session.ts'
import type { Routes } from '../http/routes.ts'
import { refuse } from '../refusal.ts'
import { bodyReader, send, sendNothing } from './control-call.ts'
import type { ControlSettings } from './settings.ts'

const TokenBody = Type.Object({ token: Type.String({ minLength: 1 }) }, { additionalProperties: false })
const readToken = bodyReader<Static<typeof TokenBody>>(TokenBody)

/** How a browser gets in. The calls that do not need the control token are those that let it in or out. */
export function dashboardCalls(
  scope: Routes,
  { signInLinks }: Pick<ControlSettings, 'signInLinks'>,
  session: Session,
): void {
  scope.post('/dashboard/links', (_, reply) => send(reply, 201, signInLinks.issue()))

  // Without a word about why not: the page says what to do, signed in by another link or not.
  scope.get('/dashboard/sign-in', (request, reply) => {
    const good = signInLinks.redeem(request.query.code)
    if (good) reply.header('set-cookie', session.begin(request))
    return reply
      .code(303)
      .headers({
        location: good ? '/_paysim/dashboard/' : '/_paysim/dashboard/?link=used',
        'referrer-policy': 'no-referrer',
      })
      .send()
  })

  scope.get('/dashboard/session', (request, reply) =>
    send(reply, 200, { signed_in: session.admits(request) }),
  )
  scope.post('/dashboard/session', async (request, reply) => {
    if (!comesFromOwnPage(request)) throw refuse('unauthorized', 'Only the dashboard can sign in here')
    const { token } = await readToken(request)
    if (!session.isToken(token)) throw refuse('unauthorized', 'This is not the control token of this server')
    return sendNothing(reply.header('set-cookie', session.begin(request)))
  })
  scope.delete('/dashboard/session', (request, reply) => {
    if (!comesFromOwnPage(request)) throw refuse('unauthorized', 'Only the dashboard can sign out here')
    return sendNothing(reply.header('set-cookie', session.end(request)))
  })

  dashboardPages(scope)
}
