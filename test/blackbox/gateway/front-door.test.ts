import { describe, expect, test } from 'vitest'
import { removeDirectory, type Server, startServer } from '../../support/gateway/server.ts'
import { fileServer } from '../../support/gateway/shared-server.ts'

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

const open = (server: Pick<Server, 'url'>, headers: Record<string, string> = {}) =>
  fetch(`${server.url}/`, { headers: { accept: BROWSER, ...headers }, redirect: 'manual' })

describe('the root URL of the server', () => {
  const server = fileServer()

  test('redirects a browser to the dashboard without revealing credentials', async () => {
    const answer = await open(server())
    expect(answer.status).toBe(303)
    expect(answer.headers.get('location')).toBe('/_paysim/dashboard/')
    expect(answer.headers.get('set-cookie')).toBeNull()
    const page = await fetch(new URL(answer.headers.get('location') ?? '', server().url))
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(await page.text()).not.toContain(server().controlToken)
  })

  test('is an unknown path of the API for other clients', async () => {
    const { call } = server()
    for (const accept of ['*/*', 'application/json']) {
      expect((await call('GET', '/', { headers: { accept }, anonymous: true })).status).toBe(401)
      expect((await call('GET', '/', { headers: { accept } })).body.error.code).toBe('not_found')
    }
    const withKeys = await call('GET', '/', { headers: { accept: BROWSER } })
    expect([withKeys.status, withKeys.body.error.code]).toEqual([404, 'not_found'])
    const post = await call('POST', '/', { headers: { accept: BROWSER }, anonymous: true })
    expect(post.status).toBe(401)
  })
})

test('the root URL links to the dashboard if there is a control port', async () => {
  const server = await startServer({ args: ['--control-port', '0'] })
  try {
    const answer = await open(server)
    const text = await answer.text()
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(text).toContain(`<a href="${server.controlUrl}/dashboard/">`)
    expect(text).not.toContain(server.controlToken)
    const control = await open({ url: new URL(server.controlUrl).origin })
    expect([control.status, control.headers.get('location')]).toEqual([303, '/_paysim/dashboard/'])
  } finally {
    await server.stop()
    await removeDirectory(server.dataDir)
  }
})
