import { createHash } from 'node:crypto'
import type { Reply } from './http/reply.ts'
import type { Request } from './http/request.ts'
import { Routes } from './http/routes.ts'
import type { Surface } from './http/surface.ts'
import { refuse } from './refusal.ts'

const DASHBOARD = '/_paysim/dashboard/'

/** Recognises a person with a browser. For programs, the root is an unknown path. */
export const isBrowserAtRoot = ({ method, path, headers }: Request): boolean =>
  method === 'GET' && path === '/' && !headers.authorization && /\btext\/html\b/.test(headers.accept ?? '')

/**
 * The root of the server for browsers: it redirects to the dashboard, or shows its address if it has a separate port.
 * Neither has any credentials.
 */
export function frontDoor(controlPort: () => number | null): Surface {
  const routes = new Routes()
  routes.get('/', (request, reply) => {
    reply.header('vary', 'Accept, Authorization').header('referrer-policy', 'no-referrer')
    const port = controlPort()
    if (port === null) return reply.code(303).header('location', DASHBOARD).send()
    return sendPage(reply, dashboardAt(request, port))
  })
  return {
    name: 'pages',
    routes,
    accountOf: () => undefined,
    isRepeatable: () => true,
    authenticate: () => undefined,
    missing: () => refuse('not_found', 'No such path'),
  }
}

/** With the host name that the visitor used. */
function dashboardAt({ headers }: Request, port: number): string {
  const name = (headers.host ?? '').replace(/:\d+$/, '')
  return `http://${name}:${port}${DASHBOARD}`
}

const STYLE =
  ':root{color-scheme:light dark;font:16px/1.6 system-ui,sans-serif}main{max-width:36rem;margin:18vh auto;padding:0 20px;overflow-wrap:anywhere}h1{font-size:1.35rem;line-height:1.3}'

async function sendPage(reply: Reply, dashboard: string): Promise<Reply> {
  const { Html, html } = await import('./pages/layout.ts')
  const page = html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <meta name="viewport" content="width=device-width, initial-scale=1" />
    <link rel="icon" href="/checkout/icon.svg" type="image/svg+xml" />
    <title>paysim</title>
    <style>${new Html(STYLE)}</style>
  </head>
  <body>
    <main>
      <h1>This is paysim, a simulator of a payment gateway</h1>
      <p>This is the address of the merchant API, for programs that send its keys.</p>
      <p>The dashboard is at <a href="${dashboard}">${dashboard}</a>, on the port of the control surface.</p>
    </main>
  </body>
</html>
`
  const style = createHash('sha256').update(STYLE).digest('base64')
  return reply
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; img-src 'self'; style-src 'sha256-${style}'; frame-ancestors 'none'; base-uri 'none'`,
    })
    .send(page.text)
}
